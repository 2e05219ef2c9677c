namespace CoAP.NET;

/// <summary>
/// Binds a handler parameter to query arguments, <c>name=value</c> (RFC 7252 section 5.10.1), even if the template has a parameter with the
/// same name.
/// </summary>
[AttributeUsage(AttributeTargets.Parameter)]
public sealed class CoapFromQueryAttribute : Attribute
{
    /// <summary>The name of the argument. Default null: the name of the parameter.</summary>
    public string? Name { get; set; }
}
