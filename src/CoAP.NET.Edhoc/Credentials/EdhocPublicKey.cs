using System.Security.Cryptography;
using CoAP.NET.Edhoc.Keys;
using CoAP.NET.Edhoc.Native;

namespace CoAP.NET.Edhoc;

/// <summary>The public authentication key of a party.</summary>
public sealed class EdhocPublicKey
{
    private readonly byte[] _x;
    private readonly byte[]? _y;

    /// <summary>Creates a public key.</summary>
    /// <param name="curve">The curve.</param>
    /// <param name="x">The x coordinate for a NIST curve; the key itself for the others.</param>
    /// <param name="y">The y coordinate for a NIST curve; null for the others. A NIST key without it cannot verify signatures.</param>
    /// <exception cref="ArgumentException">A length is wrong.</exception>
    public EdhocPublicKey(EdhocCurve curve, ReadOnlyMemory<byte> x, ReadOnlyMemory<byte>? y)
    {
        int length = Curves.KeyLength(curve);
        if (!Enum.IsDefined(curve) || x.Length != length || (y is { } given && (!Curves.IsNist(curve) || given.Length != length)))
        {
            throw new ArgumentException($"A key of {curve} has {length} bytes, and only P-256 and P-384 have a second coordinate.");
        }

        (Curve, _x, _y) = (curve, x.ToArray(), y?.ToArray());
    }

    /// <summary>The curve.</summary>
    public EdhocCurve Curve { get; }

    /// <summary>The x coordinate for a NIST curve; the key itself for the others.</summary>
    public ReadOnlyMemory<byte> X => _x;

    /// <summary>The y coordinate for a NIST curve; null if unknown, and for the other curves.</summary>
    public ReadOnlyMemory<byte>? Y => _y is null ? default(ReadOnlyMemory<byte>?) : _y;

    internal bool Verify(ReadOnlySpan<byte> data, ReadOnlySpan<byte> signature)
    {
        if (!Curves.CanSign(Curve) || signature.Length != Curves.SignatureLength(Curve))
        {
            return false;
        }

        if (!Curves.IsNist(Curve))
        {
            return OpenSslKeys.Verify(Curve, _x, data, signature);
        }

        if (_y is null)
        {
            return false;
        }

        try
        {
            using ECDsa key = ECDsa.Create(
                new ECParameters { Curve = Curves.NistCurve(Curve), Q = new ECPoint { X = _x, Y = _y } });
            return key.VerifyData(
                data, signature, Curves.SignatureHash(Curve), DSASignatureFormat.IeeeP1363FixedFieldConcatenation);
        }
        catch (CryptographicException)
        {
            // Not a point of the curve.
            return false;
        }
    }
}
