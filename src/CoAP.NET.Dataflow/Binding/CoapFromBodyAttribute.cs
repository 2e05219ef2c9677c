namespace CoAP.NET;

/// <summary>
/// Binds a handler parameter to the payload of the request: a <c>string</c> as text, other types as JSON or CBOR according to the
/// Content-Format.
/// </summary>
[AttributeUsage(AttributeTargets.Parameter)]
public sealed class CoapFromBodyAttribute : Attribute
{
}
