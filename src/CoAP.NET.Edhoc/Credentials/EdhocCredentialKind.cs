namespace CoAP.NET.Edhoc.Credentials;

/// <summary>The kind of a credential (RFC 9528 section 3.5.2).</summary>
internal enum EdhocCredentialKind
{
    /// <summary>A CWT Claims Set (RFC 8392) with a COSE_Key; a plain COSE_Key is wrapped in one.</summary>
    Ccs,

    /// <summary>A CBOR Web Token (RFC 8392), which an issuer signed.</summary>
    Cwt,

    /// <summary>An X.509 certificate.</summary>
    Certificate,
}
