namespace CoAP.NET.Dtls;

/// <summary>A DTLS handshake (RFC 6347 section 4.2) did not establish a session.</summary>
/// <remarks>The message describes what the endpoint observed and what to do about it.</remarks>
public sealed class CoapDtlsHandshakeException : CoapException
{
    /// <summary>Creates the exception.</summary>
    /// <param name="reason">Why the handshake failed.</param>
    /// <param name="message">What the endpoint observed and what to do about it.</param>
    /// <param name="innerException">The underlying exception, or null.</param>
    public CoapDtlsHandshakeException(CoapDtlsHandshakeFailure reason, string message, Exception? innerException = null)
        : base(message, innerException) => Reason = reason;

    /// <summary>Why the handshake failed.</summary>
    public CoapDtlsHandshakeFailure Reason { get; }
}
