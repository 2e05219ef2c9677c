using System.Security.Cryptography;
using CoAP.NET.Cryptography;

namespace CoAP.NET.Oscore.Contexts;

/// <summary>
/// The key derivation of a security context: HKDF (RFC 5869) with a hash (RFC 8613 section 3.2). Both peers use the same.
/// </summary>
internal sealed class OscoreHkdf
{
    private OscoreHkdf(int coseNumber, string name, HashAlgorithmName hash, int hashLength)
    {
        CoseNumber = coseNumber;
        Name = name;
        Hash = hash;
        HashLength = hashLength;
    }

    /// <summary>HKDF with HMAC-SHA-256 (COSE -10): the default, mandatory to implement.</summary>
    public static OscoreHkdf Sha256 { get; } = new(-10, "HKDF SHA-256", HashAlgorithmName.SHA256, 32);

    /// <summary>HKDF with HMAC-SHA-384, which cipher suite 24 of EDHOC requires (RFC 9528 section 3.6).</summary>
    /// <remarks>"COSE Algorithms" has no "direct+HKDF" with this hash, so <see cref="CoseNumber"/> is that of the hash, -43.</remarks>
    public static OscoreHkdf Sha384 { get; } = new(-43, "HKDF SHA-384", HashAlgorithmName.SHA384, 48);

    /// <summary>HKDF with HMAC-SHA-512 (COSE -11).</summary>
    public static OscoreHkdf Sha512 { get; } = new(-11, "HKDF SHA-512", HashAlgorithmName.SHA512, 64);

    /// <summary>All key derivations that this library supports.</summary>
    public static IReadOnlyList<OscoreHkdf> All { get; } = [Sha256, Sha384, Sha512];

    /// <summary>The number of "direct+HKDF" with this hash in the registry "COSE Algorithms"; for SHA-384 the number of the hash.</summary>
    public int CoseNumber { get; }

    /// <summary>The name, such as <c>HKDF SHA-256</c>.</summary>
    public string Name { get; }

    public HashAlgorithmName Hash { get; }

    /// <summary>The length of a hash in bytes.</summary>
    public int HashLength { get; }

    /// <summary>Finds a key derivation by the number of "direct+HKDF" in the registry "COSE Algorithms".</summary>
    /// <param name="coseNumber">The number, such as -10.</param>
    /// <returns>The key derivation; null if this library supports none with this number.</returns>
    public static OscoreHkdf? Find(int coseNumber) => All.FirstOrDefault(one => one.CoseNumber == coseNumber);

    /// <summary>Returns name and number.</summary>
    /// <returns>The text, such as <c>HKDF SHA-256 (-10)</c>.</returns>
    public override string ToString() => $"{Name} ({CoseNumber})";

    /// <summary>Concentrates the randomness of a secret in a key (RFC 5869 section 2.2).</summary>
    /// <param name="secret">The secret.</param>
    /// <param name="salt">The salt; may be empty.</param>
    /// <param name="key">Receives the key of <see cref="HashLength"/> bytes.</param>
    /// <exception cref="PlatformNotSupportedException">On Linux, with SHA-384 or SHA-512: there is no OpenSSL.</exception>
    internal void Extract(ReadOnlySpan<byte> secret, ReadOnlySpan<byte> salt, Span<byte> key)
    {
        if (this == Sha256)
        {
            HkdfSha256.Extract(secret, salt, key);
        }
        else
        {
            PlatformCryptographyAvailability.ThrowIfMissing(Name);
            HKDF.Extract(Hash, secret, salt, key);
        }
    }

    /// <summary>Derives keys (RFC 5869 section 2.3).</summary>
    /// <param name="key">The key from <see cref="Extract"/>.</param>
    /// <param name="output">Receives the bytes.</param>
    /// <param name="info">The purpose of the bytes.</param>
    internal void Expand(ReadOnlySpan<byte> key, Span<byte> output, ReadOnlySpan<byte> info)
    {
        if (this == Sha256)
        {
            HkdfSha256.Expand(key, output, info);
        }
        else
        {
            HKDF.Expand(Hash, key, output, info);
        }
    }
}
