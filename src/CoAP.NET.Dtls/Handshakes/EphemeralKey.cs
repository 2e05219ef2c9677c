using System.Security.Cryptography;

namespace CoAP.NET.Dtls.Handshakes;

/// <summary>
/// A key pair for one handshake (RFC 8422). The long-term keys of both ends therefore do not decrypt a recorded session.
/// </summary>
internal sealed class EphemeralKey : IDisposable
{
    private const ushort Secp256R1 = 23;
    private const ushort Secp384R1 = 24;
    private const ushort Secp521R1 = 25;
    private const byte Uncompressed = 4;

    private readonly ECDiffieHellman _pair;

    private EphemeralKey(ushort group)
    {
        Group = group;
        _pair = ECDiffieHellman.Create(CurveOf(group));
        ECParameters parameters = _pair.ExportParameters(includePrivateParameters: false);
        Point = [Uncompressed, .. parameters.Q.X!, .. parameters.Q.Y!];
    }

    /// <summary>The groups that this library offers, best first, as bytes of a vector: P-256, P-384.</summary>
    public static ReadOnlySpan<byte> Groups => [0, (byte)Secp256R1, 0, (byte)Secp384R1];

    /// <summary>The number of the group of keys of a size; 0 if it has none.</summary>
    /// <param name="keySize">The size in bits.</param>
    public static ushort GroupOf(int keySize) => keySize switch
    {
        256 => Secp256R1,
        384 => Secp384R1,
        521 => Secp521R1,
        _ => 0,
    };

    /// <summary>The number of the group.</summary>
    public ushort Group { get; }

    /// <summary>The public key: an uncompressed point.</summary>
    public byte[] Point { get; }

    /// <summary>Creates a key pair in a group that both ends have.</summary>
    /// <param name="offered">The groups of the peer; empty: it named none.</param>
    /// <returns>The pair; null if they have no group in common.</returns>
    public static EphemeralKey? TryCreate(ReadOnlySpan<byte> offered)
    {
        if (offered.IsEmpty)
        {
            return new EphemeralKey(Secp256R1);
        }

        return NumberList.Contains(offered, Secp256R1) ? new EphemeralKey(Secp256R1)
            : NumberList.Contains(offered, Secp384R1) ? new EphemeralKey(Secp384R1)
            : null;
    }

    /// <summary>Computes the shared secret (RFC 8422 section 5.10).</summary>
    /// <param name="point">The public key of the peer.</param>
    /// <exception cref="AlertException">It is not an uncompressed point on the curve.</exception>
    public byte[] Agree(ReadOnlySpan<byte> point)
    {
        int length = (point.Length - 1) / 2;
        if (point.Length != Point.Length || point[0] != Uncompressed)
        {
            throw NoPoint();
        }

        try
        {
            using ECDiffieHellman other = ECDiffieHellman.Create(new ECParameters
            {
                Curve = CurveOf(Group),
                Q = new ECPoint { X = point.Slice(1, length).ToArray(), Y = point[(1 + length)..].ToArray() },
            });
            return _pair.DeriveRawSecretAgreement(other.PublicKey);
        }
        catch (CryptographicException)
        {
            throw NoPoint();
        }
    }

    public void Dispose() => _pair.Dispose();

    private static ECCurve CurveOf(ushort group) => group == Secp256R1 ? ECCurve.NamedCurves.nistP256 : ECCurve.NamedCurves.nistP384;

    private static AlertException NoPoint() =>
        new(AlertDescription.IllegalParameter, "The public key of the other end is not a point on the agreed curve.");
}
