namespace CoAP.NET;

/// <summary>
/// Binds a handler parameter to a service of the request, even if its type would otherwise bind to the body. Keyed services use
/// <c>FromKeyedServices</c> instead.
/// </summary>
[AttributeUsage(AttributeTargets.Parameter)]
public sealed class CoapFromServicesAttribute : Attribute
{
}
