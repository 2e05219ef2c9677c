namespace CoAP.NET;

/// <summary>The peer rejected the request by a Reset message (RFC 7252 section 4.2): it lacks the context to process it, or does not understand it.</summary>
public sealed class CoapResetException : CoapException
{
    internal CoapResetException(string target)
        : base($"{target} rejected the request with a Reset. It does not understand the message, or serves no CoAP requests there.")
    {
    }
}
