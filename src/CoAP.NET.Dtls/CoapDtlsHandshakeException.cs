namespace CoAP.NET.Dtls;

/// <summary>A DTLS handshake (RFC 6347 section 4.2) gave no session. The message says what was seen and what to do about it.</summary>
public sealed class CoapDtlsHandshakeException : CoapException
{
    /// <summary>Makes one.</summary>
    /// <param name="reason">Why the handshake failed.</param>
    /// <param name="message">What was seen and what to do about it.</param>
    /// <param name="innerException">What was thrown below, if anything was.</param>
    public CoapDtlsHandshakeException(CoapDtlsHandshakeFailure reason, string message, Exception? innerException = null)
        : base(message, innerException) => Reason = reason;

    /// <summary>Why the handshake failed.</summary>
    public CoapDtlsHandshakeFailure Reason { get; }
}
