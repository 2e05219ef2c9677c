namespace CoAP.NET;

/// <summary>A peer answered with a message that must be rejected, such as a response with an unrecognized critical option (RFC 7252 section 5.4.1).</summary>
public sealed class CoapProtocolException : CoapException
{
    internal CoapProtocolException(string message)
        : base(message)
    {
    }
}
