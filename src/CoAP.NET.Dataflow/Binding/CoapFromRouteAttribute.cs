namespace CoAP.NET;

/// <summary>
/// Binds a handler parameter to a parameter of the route template, or of the prefix of an outer group. Needed only if the names differ.
/// </summary>
[AttributeUsage(AttributeTargets.Parameter)]
public sealed class CoapFromRouteAttribute : Attribute
{
    /// <summary>The name in the template, without braces. Default null: the name of the parameter.</summary>
    public string? Name { get; set; }
}
