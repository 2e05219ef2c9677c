namespace CoAP.NET;

/// <summary>
/// Binds a parameter of a handler to a service of the request, also where its type would be taken for the body. Services with a key have
/// <c>FromKeyedServices</c> instead.
/// </summary>
[AttributeUsage(AttributeTargets.Parameter)]
public sealed class CoapFromServicesAttribute : Attribute
{
}
