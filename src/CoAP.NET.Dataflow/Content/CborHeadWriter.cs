using System.Numerics;

namespace CoAP.NET.Content;

/// <summary>
/// Writes the heads of CBOR items (RFC 8949), for numbers of missing blocks and the inputs of OSCORE's key derivation. Full CBOR support is
/// in the package CoAP.NET.Content.
/// </summary>
internal static class CborHeadWriter
{
    public const int UnsignedInteger = 0;
    public const int NegativeInteger = 1;
    public const int ByteString = 2;
    public const int TextString = 3;
    public const int Array = 4;
    public const int Map = 5;
    public const int Tag = 6;
    public const int Simple = 7;

    /// <summary>The longest head.</summary>
    public const int MaxHead = 9;

    /// <summary>Writes a head in the shortest form (RFC 8949 section 3).</summary>
    /// <param name="head">Takes the bytes.</param>
    /// <param name="major">The major type.</param>
    /// <param name="argument">The argument.</param>
    /// <returns>The number of bytes.</returns>
    public static int WriteHead(Span<byte> head, int major, ulong argument)
    {
        int width = argument switch { < 24 => 0, <= byte.MaxValue => 1, <= ushort.MaxValue => 2, <= uint.MaxValue => 4, _ => 8 };
        head[0] = (byte)((major << 5) | (width == 0 ? (int)argument : 24 + BitOperations.Log2((uint)width)));
        for (int i = width; i > 0; i--, argument >>= 8)
        {
            head[i] = (byte)argument;
        }

        return 1 + width;
    }
}
