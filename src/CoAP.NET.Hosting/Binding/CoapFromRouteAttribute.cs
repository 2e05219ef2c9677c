namespace CoAP.NET;

/// <summary>
/// Binds a parameter of a handler to a parameter of the route template, or of the prefix of a group around it. Needed only where the names
/// differ.
/// </summary>
[AttributeUsage(AttributeTargets.Parameter)]
public sealed class CoapFromRouteAttribute : Attribute
{
    /// <summary>The name in the template, without braces. Default null: that of the parameter.</summary>
    public string? Name { get; set; }
}
