namespace CoAP.NET.Edhoc.Keys;

/// <summary>Validates private keys of NIST curves in a time that depends on their length only.</summary>
internal static class NistPrivateKeyValidator
{
    private static ReadOnlySpan<byte> Order256 =>
    [
        0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
        0xbc, 0xe6, 0xfa, 0xad, 0xa7, 0x17, 0x9e, 0x84, 0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25, 0x51,
    ];

    private static ReadOnlySpan<byte> Order384 =>
    [
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xc7, 0x63, 0x4d, 0x81, 0xf4, 0x37, 0x2d, 0xdf,
        0x58, 0x1a, 0x0d, 0xb2, 0x48, 0xb0, 0xa7, 0x7a, 0xec, 0xec, 0x19, 0x6a, 0xcc, 0xc5, 0x29, 0x73,
    ];

    /// <summary>Whether bytes are a private key: 1 up to the order of the curve.</summary>
    /// <param name="curve">P-256 or P-384.</param>
    /// <param name="secret">The bytes.</param>
    public static bool IsScalar(EdhocCurve curve, ReadOnlySpan<byte> secret)
    {
        ReadOnlySpan<byte> order = curve == EdhocCurve.P256 ? Order256 : Order384;
        if (secret.Length != order.Length)
        {
            return false;
        }

        // Subtracts the order: a borrow at the end means that the number is smaller. No branch depends on its bytes.
        int borrow = 0;
        int bits = 0;
        for (int i = order.Length - 1; i >= 0; i--)
        {
            borrow = ((secret[i] - order[i] - borrow) >> 8) & 1;
            bits |= secret[i];
        }

        return (borrow & ((-bits >> 31) & 1)) == 1;
    }
}
