namespace CoAP.NET.Dtls;

/// <summary>DTLS is not available as configured: OpenSSL is missing, or it rejects a certificate, a key or a cipher suite.</summary>
/// <remarks>The message says what to do.</remarks>
public class CoapDtlsException : CoapException
{
    /// <summary>Makes an exception.</summary>
    public CoapDtlsException()
    {
    }

    /// <summary>Makes an exception.</summary>
    /// <param name="message">What is wrong and what to do.</param>
    public CoapDtlsException(string message)
        : base(message)
    {
    }

    /// <summary>Makes an exception.</summary>
    /// <param name="message">What is wrong and what to do.</param>
    /// <param name="innerException">What caused it.</param>
    public CoapDtlsException(string message, Exception? innerException)
        : base(message, innerException)
    {
    }
}
