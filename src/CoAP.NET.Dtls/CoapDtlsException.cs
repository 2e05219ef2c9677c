namespace CoAP.NET.Dtls;

/// <summary>DTLS is not available as configured: OpenSSL is missing, or it rejects a certificate, a key or a cipher suite.</summary>
/// <remarks>The message says what to do.</remarks>
public class CoapDtlsException : CoapException
{
    /// <summary>Creates the exception.</summary>
    public CoapDtlsException()
    {
    }

    /// <summary>Creates the exception.</summary>
    /// <param name="message">The problem and what to do about it.</param>
    public CoapDtlsException(string message)
        : base(message)
    {
    }

    /// <summary>Creates the exception.</summary>
    /// <param name="message">The problem and what to do about it.</param>
    /// <param name="innerException">The cause.</param>
    public CoapDtlsException(string message, Exception? innerException)
        : base(message, innerException)
    {
    }
}
