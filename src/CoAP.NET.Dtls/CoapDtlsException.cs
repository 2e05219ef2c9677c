namespace CoAP.NET.Dtls;

/// <summary>
/// A DTLS handshake (RFC 6347 section 4.2) did not establish a session, or DTLS is not available as configured: the platform lacks its
/// cryptography, or a certificate, a key or a cipher suite is not suitable.
/// </summary>
/// <remarks>The message says what the endpoint observed and what to do.</remarks>
public sealed class CoapDtlsException : CoapException
{
    /// <summary>Creates the exception for DTLS that is not available (<see cref="CoapDtlsHandshakeFailure.NotAvailable"/>).</summary>
    /// <param name="message">The problem and what to do about it.</param>
    /// <param name="innerException">The cause, or null.</param>
    public CoapDtlsException(string message, Exception? innerException = null)
        : this(CoapDtlsHandshakeFailure.NotAvailable, message, innerException)
    {
    }

    /// <summary>Creates the exception for a handshake that failed.</summary>
    /// <param name="reason">Why the handshake failed.</param>
    /// <param name="message">What the endpoint observed and what to do about it.</param>
    /// <param name="innerException">The cause, or null.</param>
    public CoapDtlsException(CoapDtlsHandshakeFailure reason, string message, Exception? innerException = null)
        : base(CoapError.HandshakeFailed, message, innerException) => Reason = reason;

    /// <summary>Why there is no session.</summary>
    public CoapDtlsHandshakeFailure Reason { get; }
}
