namespace CoAP.NET.Options;

/// <summary>
/// How an option is protected where requests and responses are protected end to end, as by OSCORE: its class in RFC 8613 section 4.1.
/// </summary>
public enum OptionProtection : byte
{
    /// <summary>
    /// Class E: encrypted and integrity protected. The default, and so for options that nobody knows. An option of the same number that a
    /// proxy sees beside the ciphertext is another one, of the hop, and is discarded by the receiver (RFC 8613 section 4.1).
    /// </summary>
    Encrypted,

    /// <summary>Class I: to be seen by proxies, and integrity protected. RFC 8613 has none.</summary>
    Integrity,

    /// <summary>Class U: to be seen and changed by proxies, as Uri-Host, Proxy-Scheme and Hop-Limit are.</summary>
    Unprotected,
}
