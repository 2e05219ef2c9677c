using System.Buffers;
using System.Buffers.Binary;
using System.Numerics;
using System.Text;

namespace CoAP.NET.Content.Cbor;

/// <summary>
/// Writes CBOR in the preferred serialization: the shortest integers, lengths and floating-point numbers that lose nothing, and definite
/// lengths (RFC 8949 section 4.1). Deterministic (section 4.2) if the caller writes the keys of a map in the order of their bytes.
/// </summary>
internal sealed class CborWriter
{
    private readonly ArrayBufferWriter<byte> _bytes = new();

    public byte[] ToArray() => _bytes.WrittenSpan.ToArray();

    /// <summary>Forgets and wipes the written bytes.</summary>
    public void Clear() => _bytes.Clear();

    public CborWriter WriteUInt(ulong value) => WriteHead(CborMajor.UnsignedInteger, value);

    public CborWriter WriteInt(long value) =>
        value >= 0 ? WriteHead(CborMajor.UnsignedInteger, (ulong)value) : WriteHead(CborMajor.NegativeInteger, (ulong)~value);

    /// <summary>Writes an integer of any size. One beyond 64 bits and a sign gets a tag (RFC 8949 section 3.4.3).</summary>
    public CborWriter WriteInteger(BigInteger value)
    {
        bool isNegative = value.Sign < 0;
        BigInteger argument = isNegative ? -1 - value : value;
        return argument <= ulong.MaxValue
            ? WriteHead(isNegative ? CborMajor.NegativeInteger : CborMajor.UnsignedInteger, (ulong)argument)
            : WriteTag(isNegative ? CborNumbers.NegativeBignum : CborNumbers.PositiveBignum)
                .WriteBytes(argument.ToByteArray(isUnsigned: true, isBigEndian: true));
    }

    public CborWriter WriteText(string text)
    {
        int length = Encoding.UTF8.GetByteCount(text);
        WriteHead(CborMajor.TextString, (ulong)length);
        Encoding.UTF8.GetBytes(text, _bytes.GetSpan(length));
        _bytes.Advance(length);
        return this;
    }

    public CborWriter WriteBytes(ReadOnlySpan<byte> bytes)
    {
        WriteHead(CborMajor.ByteString, (ulong)bytes.Length);
        _bytes.Write(bytes);
        return this;
    }

    /// <summary>Writes the head of an array; the items follow.</summary>
    public CborWriter WriteArray(int count) => WriteHead(CborMajor.Array, (ulong)count);

    /// <summary>Writes the head of a map; key and value of each pair follow.</summary>
    public CborWriter WriteMap(int count) => WriteHead(CborMajor.Map, (ulong)count);

    /// <summary>Writes the head of a tag; its item follows.</summary>
    public CborWriter WriteTag(ulong tag) => WriteHead(CborMajor.Tag, tag);

    public CborWriter WriteBoolean(bool value) => WriteHead(CborMajor.Simple, value ? 21u : 20u);

    public CborWriter WriteNull() => WriteHead(CborMajor.Simple, 22);

    /// <summary>Writes a floating-point number in half, single or double precision.</summary>
    public CborWriter WriteDouble(double value)
    {
        if (double.IsNaN(value) || BitConverter.DoubleToInt64Bits((double)(Half)value) == BitConverter.DoubleToInt64Bits(value))
        {
            // A single NaN represents all (RFC 8949 section 4.2.2).
            ushort bits = double.IsNaN(value) ? (ushort)0x7e00 : BitConverter.HalfToUInt16Bits((Half)value);
            Span<byte> half = _bytes.GetSpan(3);
            half[0] = 0xf9;
            BinaryPrimitives.WriteUInt16BigEndian(half[1..], bits);
            _bytes.Advance(3);
        }
        else if (BitConverter.DoubleToInt64Bits((double)(float)value) == BitConverter.DoubleToInt64Bits(value))
        {
            Span<byte> single = _bytes.GetSpan(5);
            single[0] = 0xfa;
            BinaryPrimitives.WriteSingleBigEndian(single[1..], (float)value);
            _bytes.Advance(5);
        }
        else
        {
            Span<byte> bytes = _bytes.GetSpan(9);
            bytes[0] = 0xfb;
            BinaryPrimitives.WriteDoubleBigEndian(bytes[1..], value);
            _bytes.Advance(9);
        }

        return this;
    }

    /// <summary>Writes a number as an integer if a double holds it exactly, otherwise as a floating-point number.</summary>
    public CborWriter WriteNumber(double value)
    {
        const double Exact = 1L << 53;
        bool isInteger = Math.Abs(value) <= Exact && Math.Truncate(value) == value && !(value == 0 && double.IsNegative(value));
        return isInteger ? WriteInt((long)value) : WriteDouble(value);
    }

    /// <summary>Writes already encoded items without validation.</summary>
    public CborWriter WriteEncoded(ReadOnlySpan<byte> items)
    {
        _bytes.Write(items);
        return this;
    }

    private CborWriter WriteHead(CborMajor major, ulong argument)
    {
        Span<byte> head = _bytes.GetSpan(9);
        int type = (int)major << 5;
        switch (argument)
        {
            case < 24:
                head[0] = (byte)(type | (int)argument);
                _bytes.Advance(1);
                break;
            case <= byte.MaxValue:
                head[0] = (byte)(type | 24);
                head[1] = (byte)argument;
                _bytes.Advance(2);
                break;
            case <= ushort.MaxValue:
                head[0] = (byte)(type | 25);
                BinaryPrimitives.WriteUInt16BigEndian(head[1..], (ushort)argument);
                _bytes.Advance(3);
                break;
            case <= uint.MaxValue:
                head[0] = (byte)(type | 26);
                BinaryPrimitives.WriteUInt32BigEndian(head[1..], (uint)argument);
                _bytes.Advance(5);
                break;
            default:
                head[0] = (byte)(type | 27);
                BinaryPrimitives.WriteUInt64BigEndian(head[1..], argument);
                _bytes.Advance(9);
                break;
        }

        return this;
    }
}
