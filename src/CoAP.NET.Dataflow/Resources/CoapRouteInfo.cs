namespace CoAP.NET;

/// <summary>Describes a route when the filters around its handler are created.</summary>
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

    /// <summary>The methods of the route.</summary>
    public IReadOnlyList<CoapMethod> Methods { get; }

    /// <summary>
    /// The metadata of <c>WithMetadata</c>: first that of the root group, then of inner groups, and last of the route itself; in each, in
    /// the order in which it was attached.
    /// </summary>
    public IReadOnlyList<object> Metadata { get; }
}
