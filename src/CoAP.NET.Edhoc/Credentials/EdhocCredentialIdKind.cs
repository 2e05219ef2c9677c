namespace CoAP.NET.Edhoc.Credentials;

/// <summary>The kind of identification of a credential: the label of ID_CRED_I or ID_CRED_R (RFC 9528 section 3.5.3).</summary>
internal enum EdhocCredentialIdKind
{
    /// <summary>Another label, or several.</summary>
    Other = 0,

    /// <summary>kid: an identifier of the key, which need not be unique.</summary>
    KeyId = 4,

    /// <summary>kcwt: a CBOR Web Token by value.</summary>
    Cwt = 13,

    /// <summary>kccs: a CWT Claims Set by value.</summary>
    Ccs = 14,

    /// <summary>x5bag: certificates by value without order (RFC 9360).</summary>
    CertificateBag = 32,

    /// <summary>x5chain: a certificate and its issuers by value (RFC 9360).</summary>
    CertificateChain = 33,

    /// <summary>x5t: the hash of a certificate (RFC 9360).</summary>
    CertificateHash = 34,

    /// <summary>x5u: the URI of a certificate (RFC 9360). The library never downloads from there.</summary>
    CertificateUri = 35,
}
