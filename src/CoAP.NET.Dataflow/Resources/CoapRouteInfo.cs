namespace CoAP.NET;

/// <summary>What is known of a route when the filters around its handler are put together.</summary>
public sealed class CoapRouteInfo
{
    internal CoapRouteInfo(string template, IReadOnlyList<CoapMethod> methods, IReadOnlyList<object> metadata)
    {
        Template = template;
        Methods = methods;
        Metadata = metadata;
    }

    /// <summary>The path with its parameters, in URI form.</summary>
    public string Template { get; }

    /// <summary>The methods that are handled.</summary>
    public IReadOnlyList<CoapMethod> Methods { get; }

    /// <summary>
    /// What was attached by <c>WithMetadata</c>: first to the group of all routes, then inwards, last to the route itself; in each the
    /// order in which it was attached.
    /// </summary>
    public IReadOnlyList<object> Metadata { get; }
}
