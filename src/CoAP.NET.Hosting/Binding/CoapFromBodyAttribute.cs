namespace CoAP.NET;

/// <summary>
/// Binds a parameter of a handler to the payload of the request: a <c>string</c> as text, other types as JSON or CBOR by the
/// Content-Format.
/// </summary>
[AttributeUsage(AttributeTargets.Parameter)]
public sealed class CoapFromBodyAttribute : Attribute
{
}
