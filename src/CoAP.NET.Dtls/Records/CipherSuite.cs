using CoAP.NET.Cryptography;

namespace CoAP.NET.Dtls.Records;

/// <summary>
/// A cipher suite (RFC 7252 section 9.1.3, RFC 6655, RFC 7251, RFC 5487, RFC 5289, RFC 8442). All are AEAD with nonces of the same shape.
/// </summary>
/// <param name="id">Its number in the TLS registry.</param>
/// <param name="name">Its name in the registry.</param>
/// <param name="mode">The protection of records.</param>
/// <param name="tagLength">Length of the authentication tag in bytes.</param>
internal sealed class CipherSuite(ushort id, string name, AeadMode mode, int tagLength)
{
    /// <summary>Bytes of a nonce that each record carries (RFC 5288 section 3, RFC 6655 section 3).</summary>
    public const int ExplicitNonceLength = 8;

    /// <summary>Bytes of the part of a nonce that comes from the key block.</summary>
    public const int SaltLength = 4;

    /// <summary>Blocks of 16 bytes that count as one record for <see cref="MaxRecords"/>: 2 KiB.</summary>
    public const int BlocksOfRecord = 128;

    private static readonly CipherSuite[] s_all =
    [
        new(0xC0A8, "TLS_PSK_WITH_AES_128_CCM_8", AeadMode.Ccm, 8),
        new(0xC0AE, "TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8", AeadMode.Ccm, 8),
        new(0x00A8, "TLS_PSK_WITH_AES_128_GCM_SHA256", AeadMode.Gcm, 16),
        new(0xC02B, "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", AeadMode.Gcm, 16),
        new(0xC0A4, "TLS_PSK_WITH_AES_128_CCM", AeadMode.Ccm, 16),
        new(0xC0AC, "TLS_ECDHE_ECDSA_WITH_AES_128_CCM", AeadMode.Ccm, 16),
        new(0xD003, "TLS_ECDHE_PSK_WITH_AES_128_CCM_8_SHA256", AeadMode.Ccm, 8),
        new(0xD001, "TLS_ECDHE_PSK_WITH_AES_128_GCM_SHA256", AeadMode.Gcm, 16),
        new(0xD005, "TLS_ECDHE_PSK_WITH_AES_128_CCM_SHA256", AeadMode.Ccm, 16),
        new(0xC0A9, "TLS_PSK_WITH_AES_256_CCM_8", AeadMode.Ccm, 8),
        new(0xC0AF, "TLS_ECDHE_ECDSA_WITH_AES_256_CCM_8", AeadMode.Ccm, 8),
        new(0x00A9, "TLS_PSK_WITH_AES_256_GCM_SHA384", AeadMode.Gcm, 16),
        new(0xC02C, "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", AeadMode.Gcm, 16),
        new(0xC0A5, "TLS_PSK_WITH_AES_256_CCM", AeadMode.Ccm, 16),
        new(0xC0AD, "TLS_ECDHE_ECDSA_WITH_AES_256_CCM", AeadMode.Ccm, 16),
        new(0xD002, "TLS_ECDHE_PSK_WITH_AES_256_GCM_SHA384", AeadMode.Gcm, 16),
    ];

    /// <summary>All cipher suites, those of RFC 7252 first.</summary>
    public static IReadOnlyList<CipherSuite> All => s_all;

    public ushort Id { get; } = id;

    public string Name { get; } = name;

    public AeadMode Mode { get; } = mode;

    public int TagLength { get; } = tagLength;

    /// <summary>Bytes of a key: 16 or 32.</summary>
    public int KeyLength { get; } = name.Contains("AES_256", StringComparison.Ordinal) ? 32 : 16;

    /// <summary>Bytes of the keys and salts of both directions (RFC 5246 section 6.3).</summary>
    public int KeyBlockLength => 2 * (KeyLength + SaltLength);

    /// <summary>The hash of the pseudorandom function and of the handshake (RFC 5246 section 7.4.9).</summary>
    public PrfHash Hash { get; } = name.EndsWith("SHA384", StringComparison.Ordinal) ? PrfHash.Sha384 : PrfHash.Sha256;

    /// <summary>Whether both ends prove their identity with a shared key.</summary>
    public bool UsesPreSharedKey => KeyExchange != KeyExchange.EcdheEcdsa;

    /// <summary>How it agrees on the secret of a session.</summary>
    public KeyExchange KeyExchange { get; } = name.StartsWith("TLS_PSK", StringComparison.Ordinal) ? KeyExchange.Psk
        : name.StartsWith("TLS_ECDHE_PSK", StringComparison.Ordinal) ? KeyExchange.EcdhePsk
        : KeyExchange.EcdheEcdsa;

    /// <summary>Bytes of a record beside its header and its content.</summary>
    public int Expansion => ExplicitNonceLength + TagLength;

    /// <summary>
    /// Number of records that fail to open before a session ends. RFC 9147 section 4.5.3 allows 2^36 for GCM, of which 2^31 are out of
    /// reach in practice, and 2^23.5 for CCM. It has none for CCM_8, because a limit with the same odds would let an attacker end sessions
    /// with a few datagrams; 2^23 tries succeed once in 2^41 sessions under such an attack, and are some 400 MB of datagrams.
    /// </summary>
    public int MaxForgeries { get; } = mode == AeadMode.Gcm ? int.MaxValue - 1 : 1 << 23;

    /// <summary>
    /// Maximum number of records of up to <see cref="BlocksOfRecord"/> blocks that the keys of one direction protect; longer ones count as
    /// several. In total this equals what RFC 9147 section 4.5.3 allows for records of 2^10 blocks: 2^24.5 with GCM, 2^23 with CCM; those
    /// of CoAP are shorter.
    /// </summary>
    public ulong MaxRecords { get; } = mode == AeadMode.Gcm ? 1UL << 27 : 1UL << 26;

    /// <summary>Finds a cipher suite.</summary>
    /// <param name="id">Its number.</param>
    /// <returns>The suite, or null.</returns>
    public static CipherSuite? Find(int id)
    {
        // Also runs for each session that a start loads.
        foreach (CipherSuite suite in s_all)
        {
            if (suite.Id == id)
            {
                return suite;
            }
        }

        return null;
    }

    public override string ToString() => Name;
}
