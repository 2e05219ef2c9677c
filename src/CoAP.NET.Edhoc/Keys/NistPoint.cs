using System.Globalization;
using System.Numerics;
using System.Security.Cryptography;

namespace CoAP.NET.Edhoc.Keys;

/// <summary>
/// Computes a y coordinate for an x coordinate. Ephemeral keys are x coordinates only, and either of the two points gives the same shared
/// secret (RFC 9528 section 3.7). Its input is public, so it need not take constant time; <see cref="NistPrivateKeyValidator"/> handles
/// private numbers.
/// </summary>
internal static class NistPoint
{
    private static readonly BigInteger s_p256 = Hex("FFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF");
    private static readonly BigInteger s_b256 = Hex("5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B");

    private static readonly BigInteger s_p384 = Hex(
        "FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEFFFFFFFF0000000000000000FFFFFFFF");

    private static readonly BigInteger s_b384 = Hex(
        "B3312FA7E23EE7E4988E056BE3F82D19181D9C6EFE8141120314088F5013875AC656398D8A2ED19D2A85C8EDD3EC2AEF");

    /// <summary>Computes the point.</summary>
    /// <exception cref="EdhocException">No point of the curve has this coordinate.</exception>
    public static ECPoint Decompress(EdhocCurve curve, ReadOnlySpan<byte> x, bool isOdd = false)
    {
        (BigInteger p, BigInteger b) = curve == EdhocCurve.P256 ? (s_p256, s_b256) : (s_p384, s_b384);
        int length = Curves.KeyLength(curve);
        BigInteger number = new(x, isUnsigned: true, isBigEndian: true);
        if (x.Length != length || number >= p)
        {
            throw new EdhocException($"An ephemeral key is not a coordinate of {curve}.");
        }

        BigInteger square = (BigInteger.ModPow(number, 3, p) + (p - 3) * number + b) % p;
        BigInteger y = BigInteger.ModPow(square, (p + 1) / 4, p);
        if (y * y % p != square)
        {
            throw new EdhocException($"An ephemeral key is not a coordinate of a point of {curve}.");
        }

        return new ECPoint { X = x.ToArray(), Y = Bytes(y.IsEven == isOdd && !y.IsZero ? p - y : y, length) };
    }

    private static byte[] Bytes(BigInteger number, int length)
    {
        byte[] bytes = new byte[length];
        byte[] shortest = number.ToByteArray(isUnsigned: true, isBigEndian: true);
        shortest.CopyTo(bytes, length - shortest.Length);
        return bytes;
    }

    private static BigInteger Hex(string text) => BigInteger.Parse("0" + text, NumberStyles.HexNumber, CultureInfo.InvariantCulture);
}
