using System.Buffers;
using System.Numerics;
using System.Text;

namespace CoAP.NET.Content;

/// <summary>
/// Writes the few CBOR items (RFC 8949) that the core itself needs: numbers of missing blocks and the debug document. Full CBOR support is
/// in the package CoAP.NET.Content.
/// </summary>
internal static class CborBytes
{
    public const int UnsignedInteger = 0;
    public const int NegativeInteger = 1;
    public const int TextString = 3;
    public const int Array = 4;
    public const int Map = 5;
    public const int Tag = 6;
    public const int Simple = 7;

    public const byte False = 20;
    public const byte True = 21;
    public const byte Null = 22;

    /// <summary>A head in the shortest form (RFC 8949 section 3).</summary>
    /// <param name="output">Takes the bytes.</param>
    /// <param name="major">The major type.</param>
    /// <param name="argument">The argument.</param>
    public static void WriteHead(this ArrayBufferWriter<byte> output, int major, ulong argument)
    {
        int width = argument switch { < 24 => 0, <= byte.MaxValue => 1, <= ushort.MaxValue => 2, <= uint.MaxValue => 4, _ => 8 };
        Span<byte> head = output.GetSpan(1 + width);
        head[0] = (byte)((major << 5) | (width == 0 ? (int)argument : 24 + BitOperations.Log2((uint)width)));
        for (int i = width; i > 0; i--, argument >>= 8)
        {
            head[i] = (byte)argument;
        }

        output.Advance(1 + width);
    }

    public static void WriteInt(this ArrayBufferWriter<byte> output, long value) =>
        output.WriteHead(value < 0 ? NegativeInteger : UnsignedInteger, (ulong)(value < 0 ? ~value : value));

    public static void WriteText(this ArrayBufferWriter<byte> output, string text)
    {
        output.WriteHead(TextString, (ulong)Encoding.UTF8.GetByteCount(text));
        Encoding.UTF8.GetBytes(text, output);
    }

    /// <summary>A floating-point number in double precision.</summary>
    public static void WriteDouble(this ArrayBufferWriter<byte> output, double value)
    {
        Span<byte> bytes = output.GetSpan(9);
        bytes[0] = (Simple << 5) | 27;
        System.Buffers.Binary.BinaryPrimitives.WriteDoubleBigEndian(bytes[1..], value);
        output.Advance(9);
    }
}
