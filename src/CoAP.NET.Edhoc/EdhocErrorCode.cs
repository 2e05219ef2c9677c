namespace CoAP.NET.Edhoc;

/// <summary>The codes of EDHOC error messages (RFC 9528 section 6).</summary>
public enum EdhocErrorCode
{
    /// <summary>Unspecified; a text for people says more (section 6.2).</summary>
    Unspecified = 1,

    /// <summary>The Responder does not support the selected cipher suite, and says which it does (section 6.3).</summary>
    WrongSelectedCipherSuite = 2,

    /// <summary>The credential that the peer refers to is not known here (section 6.4).</summary>
    UnknownCredential = 3,
}
