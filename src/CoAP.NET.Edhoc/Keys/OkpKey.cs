using System.Security.Cryptography;
using CoAP.NET.Edhoc.Native;

namespace CoAP.NET.Edhoc.Keys;

/// <summary>A private key of X25519, X448, Ed25519 or Ed448, with OpenSSL.</summary>
internal sealed class OkpKey : IPrivateKey
{
    private readonly EdhocCurve _curve;
    private readonly byte[] _secret;

    public OkpKey(EdhocCurve curve, ReadOnlySpan<byte> secret)
    {
        if (secret.Length != Curves.KeyLength(curve))
        {
            throw new ArgumentException($"A private key of {curve} has {Curves.KeyLength(curve)} bytes.", nameof(secret));
        }

        (_curve, _secret) = (curve, secret.ToArray());
        PublicKey = new EdhocPublicKey(curve, OpenSslKeys.PublicKey(curve, _secret), null);
    }

    public EdhocPublicKey PublicKey { get; }

    public bool CanSign => Curves.CanSign(_curve);

    public bool CanAgree => !CanSign;

    public static OkpKey Generate(EdhocCurve curve, CoapRandomSource random)
    {
        byte[] secret = new byte[Curves.KeyLength(curve)];
        random.Fill(secret);
        try
        {
            return new OkpKey(curve, secret);
        }
        finally
        {
            CryptographicOperations.ZeroMemory(secret);
        }
    }

    public byte[] Agree(ReadOnlySpan<byte> peer)
    {
        if (CanSign)
        {
            throw new InvalidOperationException("This key can sign only: methods with a static Diffie-Hellman key cannot use it.");
        }

        byte[]? secret = peer.Length == _secret.Length ? OpenSslKeys.Agree(_curve, _secret, peer) : null;
        if (secret is null || CryptographicOperations.FixedTimeEquals(secret, new byte[secret.Length]))
        {
            throw new EdhocException($"A key is not a public key of {_curve}, or one of low order.");
        }

        return secret;
    }

    public byte[] Sign(ReadOnlySpan<byte> data) => CanSign
        ? OpenSslKeys.Sign(_curve, _secret, data)
        : throw new InvalidOperationException("This key cannot sign: methods with signatures cannot use it.");

    public void Dispose() => CryptographicOperations.ZeroMemory(_secret);
}
