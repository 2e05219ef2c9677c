namespace CoAP.NET.Hosting;

/// <summary>Whether a server asks clients for certificates in the TLS handshake (RFC 8323 section 9.1).</summary>
public enum CoapClientCertificateMode
{
    /// <summary>It does not ask. The default.</summary>
    None,

    /// <summary>It asks; clients without one come in, without an identity. One that is shown must be valid.</summary>
    Optional,

    /// <summary>It asks; clients without a valid one do not come in.</summary>
    Required,
}
