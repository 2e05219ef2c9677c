using System.Security.Cryptography;

namespace CoAP.NET.Dtls.Handshakes;

/// <summary>Pairs of hash and signature algorithm (RFC 5246 section 7.4.1.4.1): ECDSA and RSA with SHA-256, SHA-384 and SHA-512.</summary>
internal static class SignatureScheme
{
    private const ushort EcdsaSha256 = 0x0403;
    private const ushort EcdsaSha384 = 0x0503;
    private const ushort EcdsaSha512 = 0x0603;
    private const ushort RsaSha256 = 0x0401;
    private const ushort RsaSha384 = 0x0501;
    private const ushort RsaSha512 = 0x0601;

    // The security level of certificates elsewhere: 112 bits.
    private const int MinRsaBits = 2_048;

    /// <summary>The pairs that this library accepts, best first, as bytes of a vector.</summary>
    public static ReadOnlySpan<byte> Accepted => [4, 3, 5, 3, 6, 3, 4, 1, 5, 1, 6, 1];

    /// <summary>Chooses the pair for a signature.</summary>
    /// <param name="keySize">Bits of the ECDSA key.</param>
    /// <param name="offered">The pairs that the peer accepts; empty: it named none.</param>
    /// <returns>The pair; null if the peer accepts none that the key has.</returns>
    public static ushort? Choose(int keySize, ReadOnlySpan<byte> offered)
    {
        ReadOnlySpan<ushort> candidates = keySize switch
        {
            > 384 => [EcdsaSha512, EcdsaSha384, EcdsaSha256],
            > 256 => [EcdsaSha384, EcdsaSha256, EcdsaSha512],
            _ => [EcdsaSha256, EcdsaSha384, EcdsaSha512],
        };
        if (offered.IsEmpty)
        {
            return candidates[0];
        }

        foreach (ushort candidate in candidates)
        {
            if (NumberList.Contains(offered, candidate))
            {
                return candidate;
            }
        }

        return null;
    }

    /// <summary>The hash of a pair; null if this library does not accept the pair.</summary>
    /// <param name="scheme">The pair.</param>
    public static HashAlgorithmName? HashOf(ushort scheme) => scheme switch
    {
        EcdsaSha256 or RsaSha256 => HashAlgorithmName.SHA256,
        EcdsaSha384 or RsaSha384 => HashAlgorithmName.SHA384,
        EcdsaSha512 or RsaSha512 => HashAlgorithmName.SHA512,
        _ => null,
    };

    /// <summary>Whether a pair has ECDSA.</summary>
    /// <param name="scheme">The pair.</param>
    public static bool IsEcdsa(ushort scheme) => (scheme & 0xFF) == 3;

    /// <summary>Whether a signature is that of a key.</summary>
    /// <param name="key">The public key.</param>
    /// <param name="scheme">The pair that the peer named.</param>
    /// <param name="hash">The hash by the algorithm of the pair.</param>
    /// <param name="signature">The signature.</param>
    public static bool Verify(AsymmetricAlgorithm key, ushort scheme, byte[] hash, ReadOnlySpan<byte> signature) => key switch
    {
        ECDsa pair when IsEcdsa(scheme) => pair.VerifyHash(hash, signature, DSASignatureFormat.Rfc3279DerSequence),
        RSA { KeySize: >= MinRsaBits } pair when (scheme & 0xFF) == 1 =>
            pair.VerifyHash(hash, signature, HashOf(scheme)!.Value, RSASignaturePadding.Pkcs1),
        _ => false,
    };
}
