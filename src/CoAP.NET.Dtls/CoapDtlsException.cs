namespace CoAP.NET.Dtls;

/// <summary>
/// Security by DTLS cannot be had as it is set up: there is no OpenSSL, or it does not take a certificate, a key or a cipher suite. The
/// message says what to do.
/// </summary>
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
