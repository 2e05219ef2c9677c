namespace CoAP.NET;

/// <summary>Whether a server requests client certificates in the TLS handshake (RFC 8323 section 9.1).</summary>
public enum CoapClientCertificateMode
{
    /// <summary>No request. The default.</summary>
    None,

    /// <summary>
    /// Request a certificate, and admit clients without one, which have no identity. A certificate that a client shows must be valid.
    /// </summary>
    Optional,

    /// <summary>Request a certificate, and refuse clients without a valid one.</summary>
    Required,
}
