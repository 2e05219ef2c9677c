namespace CoAP.NET.Dtls;

/// <summary>A DTLS cipher suite (RFC 7252 section 9.1.3, RFC 6655, RFC 7251, RFC 5487, RFC 5289, RFC 8442).</summary>
/// <remarks>
/// The value is the number in the TLS registry. All suites are AEAD; the endpoint offers no others. Those with AES-256 are not among the
/// default suites.
/// </remarks>
public enum CoapDtlsCipherSuite
{
    /// <summary>No cipher suite; not valid in a list.</summary>
    None = 0,

    /// <summary>TLS_PSK_WITH_AES_128_GCM_SHA256: a pre-shared key, tags of 16 bytes.</summary>
    PskAes128GcmSha256 = 0x00A8,

    /// <summary>TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256: certificates, forward secrecy, tags of 16 bytes.</summary>
    EcdheEcdsaAes128GcmSha256 = 0xC02B,

    /// <summary>TLS_PSK_WITH_AES_128_CCM: a pre-shared key, tags of 16 bytes.</summary>
    PskAes128Ccm = 0xC0A4,

    /// <summary>
    /// TLS_PSK_WITH_AES_128_CCM_8: a pre-shared key, tags of 8 bytes. Mandatory for CoAP endpoints with pre-shared keys (RFC 7252 section
    /// 9.1.3.1).
    /// </summary>
    PskAes128Ccm8 = 0xC0A8,

    /// <summary>
    /// TLS_ECDHE_PSK_WITH_AES_128_GCM_SHA256: a pre-shared key with forward secrecy, tags of 16 bytes. Not among the default suites.
    /// </summary>
    EcdhePskAes128GcmSha256 = 0xD001,

    /// <summary>
    /// TLS_ECDHE_PSK_WITH_AES_128_CCM_8_SHA256: a pre-shared key with forward secrecy, tags of 8 bytes. Not among the default suites.
    /// </summary>
    EcdhePskAes128Ccm8Sha256 = 0xD003,

    /// <summary>
    /// TLS_ECDHE_PSK_WITH_AES_128_CCM_SHA256: a pre-shared key with forward secrecy, tags of 16 bytes. Not among the default suites.
    /// </summary>
    EcdhePskAes128CcmSha256 = 0xD005,

    /// <summary>TLS_ECDHE_ECDSA_WITH_AES_128_CCM: certificates, forward secrecy, tags of 16 bytes.</summary>
    EcdheEcdsaAes128Ccm = 0xC0AC,

    /// <summary>
    /// TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8: certificates, forward secrecy, tags of 8 bytes. Mandatory for CoAP endpoints with certificates
    /// (RFC 7252 sections 9.1.3.2 and 9.1.3.3).
    /// </summary>
    EcdheEcdsaAes128Ccm8 = 0xC0AE,

    /// <summary>TLS_PSK_WITH_AES_256_GCM_SHA384: a pre-shared key, keys of 256 bits, tags of 16 bytes.</summary>
    PskAes256GcmSha384 = 0x00A9,

    /// <summary>TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384: certificates, forward secrecy, keys of 256 bits, tags of 16 bytes.</summary>
    EcdheEcdsaAes256GcmSha384 = 0xC02C,

    /// <summary>TLS_PSK_WITH_AES_256_CCM: a pre-shared key, keys of 256 bits, tags of 16 bytes.</summary>
    PskAes256Ccm = 0xC0A5,

    /// <summary>TLS_PSK_WITH_AES_256_CCM_8: a pre-shared key, keys of 256 bits, tags of 8 bytes.</summary>
    PskAes256Ccm8 = 0xC0A9,

    /// <summary>TLS_ECDHE_PSK_WITH_AES_256_GCM_SHA384: a pre-shared key with forward secrecy, keys of 256 bits, tags of 16 bytes.</summary>
    EcdhePskAes256GcmSha384 = 0xD002,

    /// <summary>TLS_ECDHE_ECDSA_WITH_AES_256_CCM: certificates, forward secrecy, keys of 256 bits, tags of 16 bytes.</summary>
    EcdheEcdsaAes256Ccm = 0xC0AD,

    /// <summary>TLS_ECDHE_ECDSA_WITH_AES_256_CCM_8: certificates, forward secrecy, keys of 256 bits, tags of 8 bytes.</summary>
    EcdheEcdsaAes256Ccm8 = 0xC0AF,
}
