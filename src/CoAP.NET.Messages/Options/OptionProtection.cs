namespace CoAP.NET;

/// <summary>The end-to-end protection class of an option, for example with OSCORE (RFC 8613 section 4.1).</summary>
public enum OptionProtection : byte
{
    /// <summary>Class E: encrypted and integrity protected.</summary>
    /// <remarks>
    /// The default, also for unknown options. If a proxy sees an option with the same number outside the ciphertext, that is another,
    /// hop-by-hop option, and the receiver discards it (RFC 8613 section 4.1).
    /// </remarks>
    Encrypted,

    /// <summary>Class I: visible to proxies, and integrity protected.</summary>
    /// <remarks>RFC 8613 has none.</remarks>
    Integrity,

    /// <summary>Class U: visible to proxies, which may change it, such as Uri-Host, Proxy-Scheme and Hop-Limit.</summary>
    Unprotected,
}
