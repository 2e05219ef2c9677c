namespace CoAP.NET;

/// <summary>
/// Binds a parameter of a handler to arguments of the query, <c>name=value</c> (RFC 7252 section 5.10.1), also where the template has that
/// name.
/// </summary>
[AttributeUsage(AttributeTargets.Parameter)]
public sealed class CoapFromQueryAttribute : Attribute
{
    /// <summary>The name of the argument. Default null: that of the parameter.</summary>
    public string? Name { get; set; }
}
