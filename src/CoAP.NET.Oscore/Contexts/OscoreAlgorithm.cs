using System.Security.Cryptography;
using CoAP.NET.Cryptography;
using CoAP.NET.Oscore.Contexts;

namespace CoAP.NET.Oscore;

/// <summary>The AEAD algorithm of a security context (RFC 8613 section 3.1, RFC 9053 section 4).</summary>
/// <remarks>Both peers use the same one. The derivation of the keys includes it, so after a wrong choice no message verifies.</remarks>
public sealed class OscoreAlgorithm
{
    // A nonce contains the length of an ID in one byte, the ID, and a Partial IV of 5 bytes.
    private const int NonceBesideId = 6;

    private readonly OscoreCipherKind _cipher;

    private OscoreAlgorithm(OscoreCipherKind cipher, int coseNumber, string name, int keyLength, int nonceLength, int tagLength)
    {
        _cipher = cipher;
        CoseNumber = coseNumber;
        Name = name;
        KeyLength = keyLength;
        NonceLength = nonceLength;
        TagLength = tagLength;
    }

    /// <summary>AES-CCM-16-64-128 (COSE 10): the default, mandatory to implement. Tags of 8 bytes.</summary>
    public static OscoreAlgorithm AesCcm16With64BitTag128 { get; } = new(OscoreCipherKind.AesCcm, 10, "AES-CCM-16-64-128", 16, 13, 8);

    /// <summary>AES-CCM-16-64-256 (COSE 11).</summary>
    public static OscoreAlgorithm AesCcm16With64BitTag256 { get; } = new(OscoreCipherKind.AesCcm, 11, "AES-CCM-16-64-256", 32, 13, 8);

    /// <summary>AES-CCM-64-64-128 (COSE 12). IDs have at most 1 byte.</summary>
    public static OscoreAlgorithm AesCcm64With64BitTag128 { get; } = new(OscoreCipherKind.AesCcm, 12, "AES-CCM-64-64-128", 16, 7, 8);

    /// <summary>AES-CCM-64-64-256 (COSE 13). IDs have at most 1 byte.</summary>
    public static OscoreAlgorithm AesCcm64With64BitTag256 { get; } = new(OscoreCipherKind.AesCcm, 13, "AES-CCM-64-64-256", 32, 7, 8);

    /// <summary>AES-CCM-16-128-128 (COSE 30).</summary>
    public static OscoreAlgorithm AesCcm16With128BitTag128 { get; } = new(OscoreCipherKind.AesCcm, 30, "AES-CCM-16-128-128", 16, 13, 16);

    /// <summary>AES-CCM-16-128-256 (COSE 31).</summary>
    public static OscoreAlgorithm AesCcm16With128BitTag256 { get; } = new(OscoreCipherKind.AesCcm, 31, "AES-CCM-16-128-256", 32, 13, 16);

    /// <summary>AES-CCM-64-128-128 (COSE 32). IDs have at most 1 byte.</summary>
    public static OscoreAlgorithm AesCcm64With128BitTag128 { get; } = new(OscoreCipherKind.AesCcm, 32, "AES-CCM-64-128-128", 16, 7, 16);

    /// <summary>AES-CCM-64-128-256 (COSE 33). IDs have at most 1 byte.</summary>
    public static OscoreAlgorithm AesCcm64With128BitTag256 { get; } = new(OscoreCipherKind.AesCcm, 33, "AES-CCM-64-128-256", 32, 7, 16);

    /// <summary>A128GCM (COSE 1). IDs have at most 6 bytes.</summary>
    public static OscoreAlgorithm A128Gcm { get; } = new(OscoreCipherKind.AesGcm, 1, "A128GCM", 16, 12, 16);

    /// <summary>A192GCM (COSE 2). IDs have at most 6 bytes.</summary>
    public static OscoreAlgorithm A192Gcm { get; } = new(OscoreCipherKind.AesGcm, 2, "A192GCM", 24, 12, 16);

    /// <summary>A256GCM (COSE 3). IDs have at most 6 bytes.</summary>
    public static OscoreAlgorithm A256Gcm { get; } = new(OscoreCipherKind.AesGcm, 3, "A256GCM", 32, 12, 16);

    /// <summary>ChaCha20/Poly1305 (COSE 24). IDs have at most 6 bytes.</summary>
    public static OscoreAlgorithm ChaCha20Poly1305 { get; } =
        new(OscoreCipherKind.ChaCha20Poly1305, 24, "ChaCha20/Poly1305", 32, 12, 16);

    /// <summary>All algorithms that this library supports, in the order of their numbers.</summary>
    public static IReadOnlyList<OscoreAlgorithm> All { get; } =
    [
        A128Gcm,
        A192Gcm,
        A256Gcm,
        AesCcm16With64BitTag128,
        AesCcm16With64BitTag256,
        AesCcm64With64BitTag128,
        AesCcm64With64BitTag256,
        ChaCha20Poly1305,
        AesCcm16With128BitTag128,
        AesCcm16With128BitTag256,
        AesCcm64With128BitTag128,
        AesCcm64With128BitTag256,
    ];

    /// <summary>The number of the algorithm in the registry "COSE Algorithms".</summary>
    internal int CoseNumber { get; }

    /// <summary>The name in the registry, such as <c>AES-CCM-16-64-128</c>.</summary>
    public string Name { get; }

    /// <summary>The length of a key in bytes: 16, 24 or 32.</summary>
    internal int KeyLength { get; }

    /// <summary>The length of a nonce in bytes: 7, 12 or 13.</summary>
    internal int NonceLength { get; }

    /// <summary>The length of the tag in bytes, 8 or 16; each ciphertext is longer than its plaintext by this length.</summary>
    internal int TagLength { get; }

    /// <summary>Maximum length in bytes of a Sender ID or Recipient ID: the nonce length minus 6 (RFC 8613 section 3.3).</summary>
    internal int MaxIdLength => NonceLength - NonceBesideId;

    /// <summary>Maximum length of a plaintext in bytes: AES-CCM counts them in the part of 15 bytes that the nonce leaves.</summary>
    internal int MaxPlaintextLength => NonceLength == 13 ? ushort.MaxValue : int.MaxValue;

    /// <summary>Whether this machine supports the cipher.</summary>
    public bool IsSupported => _cipher switch
    {
        OscoreCipherKind.AesCcm => AesCcmCipher.MeansFor(KeyLength) != AesCcmImplementation.None,
        OscoreCipherKind.AesGcm => PlatformCryptographyAvailability.IsAvailable && AesGcm.IsSupported,
        _ => PlatformCryptographyAvailability.IsAvailable && System.Security.Cryptography.ChaCha20Poly1305.IsSupported,
    };

    internal OscoreCipherKind Cipher => _cipher;

    /// <summary>Whether processor instructions encrypt messages, without the platform's cryptography.</summary>
    internal bool IsOfProcessor =>
        ProcessorAesCcm.IsSupported && _cipher == OscoreCipherKind.AesCcm && KeyLength == ProcessorAesCcm.KeyLength;

    /// <summary>Finds an algorithm by its number.</summary>
    /// <returns>The algorithm; null if this library supports none with this number for OSCORE.</returns>
    internal static OscoreAlgorithm? Find(int coseNumber)
    {
        foreach (OscoreAlgorithm algorithm in All)
        {
            if (algorithm.CoseNumber == coseNumber)
            {
                return algorithm;
            }
        }

        return null;
    }

    /// <summary>Finds an algorithm by its name in the registry, ignoring case.</summary>
    /// <param name="name">The name, such as <c>AES-CCM-16-64-128</c>.</param>
    /// <returns>The algorithm; null if this library supports none with this name.</returns>
    internal static OscoreAlgorithm? Find(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        foreach (OscoreAlgorithm algorithm in All)
        {
            if (algorithm.Name.Equals(name, StringComparison.OrdinalIgnoreCase))
            {
                return algorithm;
            }
        }

        return null;
    }

    /// <summary>Encrypts a message with a single-use key, as in key exchange protocols (RFC 9528).</summary>
    /// <param name="key">The key, <see cref="KeyLength"/> bytes.</param>
    /// <param name="nonce">The nonce, <see cref="NonceLength"/> bytes, never used before with this key.</param>
    /// <param name="additionalData">The additional authenticated data.</param>
    /// <param name="plaintext">The plaintext.</param>
    /// <returns>Ciphertext and tag.</returns>
    /// <exception cref="PlatformNotSupportedException">The platform lacks the algorithm.</exception>
    /// <exception cref="ArgumentException">The nonce has a wrong length.</exception>
    /// <exception cref="CryptographicException">The key has a wrong length.</exception>
    internal byte[] Seal(
        ReadOnlySpan<byte> key, ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> additionalData, ReadOnlySpan<byte> plaintext)
    {
        byte[] ciphertext = new byte[plaintext.Length + TagLength];
        if (IsForProcessor(key, nonce, plaintext.Length))
        {
            ProcessorAesCcm.Encrypt(
                key, nonce, additionalData, plaintext, ciphertext.AsSpan(0, plaintext.Length),
                ciphertext.AsSpan(plaintext.Length));
            return ciphertext;
        }

        using OscoreAead aead = new(this, key);
        aead.TryEncrypt(nonce, plaintext, ciphertext, additionalData);
        return ciphertext;
    }

    /// <summary>Verifies and decrypts the output of <see cref="Seal"/>.</summary>
    /// <param name="key">The key, <see cref="KeyLength"/> bytes.</param>
    /// <param name="nonce">The nonce, <see cref="NonceLength"/> bytes.</param>
    /// <param name="additionalData">The additional authenticated data.</param>
    /// <param name="ciphertext">Ciphertext and tag, of any length.</param>
    /// <param name="plaintext">The plaintext; empty if verification failed.</param>
    /// <returns>True if it verified.</returns>
    /// <exception cref="PlatformNotSupportedException">The platform lacks the algorithm.</exception>
    /// <exception cref="ArgumentException">The nonce has a wrong length.</exception>
    /// <exception cref="CryptographicException">The key has a wrong length.</exception>
    internal bool TryOpen(
        ReadOnlySpan<byte> key, ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> additionalData, ReadOnlySpan<byte> ciphertext,
        out byte[] plaintext)
    {
        plaintext = [];
        if (ciphertext.Length < TagLength)
        {
            return false;
        }

        byte[] opened = new byte[ciphertext.Length - TagLength];
        if (!TryDecrypt(key, nonce, additionalData, ciphertext, opened))
        {
            return false;
        }

        plaintext = opened;
        return true;
    }

    /// <summary>Returns name and number.</summary>
    /// <returns>The text, such as <c>AES-CCM-16-64-128 (10)</c>.</returns>
    public override string ToString() => $"{Name} ({CoseNumber})";

    // Leaves wrong lengths to the platform, which throws the right exceptions.
    private bool IsForProcessor(ReadOnlySpan<byte> key, ReadOnlySpan<byte> nonce, int plaintextLength) =>
        IsOfProcessor && key.Length == KeyLength && nonce.Length == NonceLength && plaintextLength <= MaxPlaintextLength;

    private bool TryDecrypt(
        ReadOnlySpan<byte> key, ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> additionalData, ReadOnlySpan<byte> ciphertext,
        Span<byte> plaintext)
    {
        if (IsForProcessor(key, nonce, plaintext.Length))
        {
            return ProcessorAesCcm.TryDecrypt(
                key, nonce, additionalData, ciphertext[..plaintext.Length], ciphertext[plaintext.Length..], plaintext);
        }

        using OscoreAead aead = new(this, key);
        return aead.TryDecrypt(nonce, ciphertext, plaintext, additionalData) == true;
    }

    /// <summary>Throws with instructions if this machine lacks the cipher.</summary>
    /// <exception cref="PlatformNotSupportedException">This machine lacks the cipher.</exception>
    internal void ThrowIfUnsupported()
    {
        if (!IsSupported)
        {
            string reason = _cipher == OscoreCipherKind.AesCcm ? AesCcmCipher.Missing(Name)
                : PlatformCryptographyAvailability.IsAvailable ? $"The cryptography of this platform has no {Name}."
                : PlatformCryptographyAvailability.Missing(Name);
            throw new PlatformNotSupportedException(
                $"{reason} Or agree with the peer on an algorithm whose OscoreAlgorithm.IsSupported is true here.");
        }
    }
}
