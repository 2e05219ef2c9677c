using System.Security.Cryptography;
using CoAP.NET.Edhoc.Keys;

namespace CoAP.NET.Edhoc;

/// <summary>A private key: the authentication key of this side, or an ephemeral key. Dispose it after its last use.</summary>
public sealed class EdhocPrivateKey : IDisposable
{
    private readonly IPrivateKey _key;

    private EdhocPrivateKey(IPrivateKey key) => _key = key;

    /// <summary>The curve.</summary>
    public EdhocCurve Curve => _key.PublicKey.Curve;

    /// <summary>The public key.</summary>
    public EdhocPublicKey PublicKey => _key.PublicKey;

    /// <summary>Whether it can sign.</summary>
    internal bool CanSign => _key.CanSign;

    /// <summary>Whether it can be a static Diffie-Hellman key.</summary>
    internal bool CanAgree => _key.CanAgree;

    /// <summary>Creates a key from its bytes.</summary>
    /// <param name="curve">The curve.</param>
    /// <param name="secret">The bytes: 32; for P-384 48, for X448 56 and for Ed448 57. The key copies them; wipe yours.</param>
    /// <returns>The key.</returns>
    /// <exception cref="ArgumentException">The bytes are not a key of the curve.</exception>
    /// <exception cref="PlatformNotSupportedException">There is no OpenSSL; not all curves need it, except on Linux.</exception>
    public static EdhocPrivateKey FromBytes(EdhocCurve curve, ReadOnlySpan<byte> secret)
    {
        Curves.ThrowIfNotSupported(curve);
        return new EdhocPrivateKey(Curves.IsNist(curve) ? NistKey.Of(curve, secret) : new OkpKey(curve, secret));
    }

    /// <summary>Generates a new key.</summary>
    /// <param name="curve">The curve.</param>
    /// <param name="random">The source of randomness; null for <see cref="CoapRandomSource.Secure"/>.</param>
    /// <returns>The key.</returns>
    /// <exception cref="PlatformNotSupportedException">There is no OpenSSL; not all curves need it, except on Linux.</exception>
    /// <exception cref="ArgumentOutOfRangeException">There is no such curve.</exception>
    public static EdhocPrivateKey Generate(EdhocCurve curve, CoapRandomSource? random = null) =>
        Generate(curve, random ?? CoapRandomSource.Secure, isEphemeral: false);

    /// <summary>Creates a signature key from a key of .NET, such as one in hardware.</summary>
    /// <param name="key">A key of P-256 or P-384. It is not copied, and disposed with this object.</param>
    /// <returns>The key.</returns>
    /// <exception cref="ArgumentException">The key has another curve.</exception>
    public static EdhocPrivateKey FromECDsa(ECDsa key)
    {
        ArgumentNullException.ThrowIfNull(key);
        return new EdhocPrivateKey(new NistKey(CurveOf(key), key, null));
    }

    /// <summary>Creates a static Diffie-Hellman key from a key of .NET.</summary>
    /// <param name="key">A key of P-256 or P-384. It is not copied, and disposed with this object.</param>
    /// <returns>The key.</returns>
    /// <exception cref="ArgumentException">The key has another curve.</exception>
    public static EdhocPrivateKey FromECDiffieHellman(ECDiffieHellman key)
    {
        ArgumentNullException.ThrowIfNull(key);
        return new EdhocPrivateKey(new NistKey(CurveOf(key), null, key));
    }

    /// <summary>Wipes the key.</summary>
    public void Dispose() => _key.Dispose();

    /// <summary>Generates a key for one session, which does not sign.</summary>
    internal static EdhocPrivateKey GenerateEphemeral(EdhocCurve curve, CoapRandomSource random) =>
        Generate(curve, random, isEphemeral: true);

    internal byte[] Agree(ReadOnlySpan<byte> peer) => _key.Agree(peer);

    internal byte[] Sign(ReadOnlySpan<byte> data) => _key.Sign(data);

    private static EdhocPrivateKey Generate(EdhocCurve curve, CoapRandomSource random, bool isEphemeral)
    {
        Curves.ThrowIfNotSupported(curve);
        return new EdhocPrivateKey(
            Curves.IsNist(curve) ? NistKey.Generate(curve, random, isEphemeral) : OkpKey.Generate(curve, random));
    }

    private static EdhocCurve CurveOf(ECAlgorithm key) => Curves.Named(key.ExportParameters(false).Curve.Oid)
        ?? throw new ArgumentException("EDHOC supports only keys of P-256 and P-384 here.", nameof(key));
}
