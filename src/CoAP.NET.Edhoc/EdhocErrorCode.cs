namespace CoAP.NET.Edhoc;

/// <summary>The codes of EDHOC error messages (RFC 9528 section 6).</summary>
internal enum EdhocErrorCode
{
    /// <summary>Unspecified; a readable text has the details (section 6.2).</summary>
    Unspecified = 1,

    /// <summary>The Responder does not support the selected cipher suite, and lists those that it supports (section 6.3).</summary>
    WrongSelectedCipherSuite = 2,

    /// <summary>The receiver does not know the credential that the peer refers to (section 6.4).</summary>
    UnknownCredential = 3,
}
