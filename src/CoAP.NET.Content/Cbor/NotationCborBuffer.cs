using System.Buffers.Binary;

namespace CoAP.NET.Content.Cbor;

/// <summary>
/// The CBOR that results from diagnostic notation. Bytes beyond the limit and all following ones are dropped; <see cref="IsTooLarge"/>
/// reports it.
/// </summary>
/// <param name="maxSize">The maximum number of bytes.</param>
internal sealed class NotationCborBuffer(int maxSize)
{
    private byte[] _bytes = new byte[Math.Min(maxSize, 256)];

    public int MaxSize => maxSize;

    public int Length { get; private set; }

    public bool IsTooLarge { get; private set; }

    public byte[] ToArray() => _bytes.AsSpan(0, Length).ToArray();

    /// <summary>Returns the bytes written since a position.</summary>
    public ReadOnlySpan<byte> Since(int start) => _bytes.AsSpan(start, Length - start);

    public void Append(byte value) => Append([value]);

    public void Append(ReadOnlySpan<byte> bytes)
    {
        if (TryMakeRoom(bytes.Length))
        {
            bytes.CopyTo(_bytes.AsSpan(Length));
            Length += bytes.Length;
        }
    }

    public void Replace(int index, byte value)
    {
        if (index < Length)
        {
            _bytes[index] = value;
        }
    }

    /// <summary>Writes a floating-point number in two, four or eight bytes.</summary>
    public void AppendFloat(int length, ulong bits) => AppendHead(CborMajor.Simple, bits, length switch
    {
        2 => CborEncodingIndicator.Two,
        4 => CborEncodingIndicator.Four,
        _ => CborEncodingIndicator.Eight,
    });

    /// <summary>Writes the head of an item.</summary>
    /// <param name="major">The major type.</param>
    /// <param name="argument">The argument, which fits the encoding.</param>
    /// <param name="indicator">The encoding; not indefinite.</param>
    public void AppendHead(CborMajor major, ulong argument, CborEncodingIndicator indicator) =>
        InsertHead(Length, major, argument, indicator);

    /// <summary>Inserts the head of an item in front of its content.</summary>
    /// <param name="start">The start of the content.</param>
    /// <param name="major">The major type.</param>
    /// <param name="argument">The argument, which fits the encoding.</param>
    /// <param name="indicator">The encoding; not indefinite.</param>
    public void InsertHead(int start, CborMajor major, ulong argument, CborEncodingIndicator indicator)
    {
        Span<byte> head = stackalloc byte[9];
        CborEncodingIndicator encoded = indicator == CborEncodingIndicator.Shortest ? ShortestOf(argument) : indicator;
        int length = encoded == CborEncodingIndicator.Immediate ? 0 : 1 << (encoded - CborEncodingIndicator.One);
        int information = encoded == CborEncodingIndicator.Immediate ? (int)argument : 24 + (encoded - CborEncodingIndicator.One);
        BinaryPrimitives.WriteUInt64BigEndian(head[1..], length == 0 ? 0 : argument << (64 - (8 * length)));
        head[0] = (byte)(((int)major << 5) | information);
        if (TryMakeRoom(1 + length))
        {
            _bytes.AsSpan(start, Length - start).CopyTo(_bytes.AsSpan(start + 1 + length));
            head[..(1 + length)].CopyTo(_bytes.AsSpan(start));
            Length += 1 + length;
        }
    }

    public static bool Fits(ulong argument, CborEncodingIndicator indicator) =>
        indicator == CborEncodingIndicator.Shortest || ShortestOf(argument) <= indicator;

    private static CborEncodingIndicator ShortestOf(ulong argument) => argument switch
    {
        < 24 => CborEncodingIndicator.Immediate,
        <= byte.MaxValue => CborEncodingIndicator.One,
        <= ushort.MaxValue => CborEncodingIndicator.Two,
        <= uint.MaxValue => CborEncodingIndicator.Four,
        _ => CborEncodingIndicator.Eight,
    };

    private bool TryMakeRoom(int length)
    {
        IsTooLarge |= length > maxSize - Length;
        if (!IsTooLarge && length > _bytes.Length - Length)
        {
            Array.Resize(ref _bytes, (int)Math.Min(maxSize, Math.Max(2L * _bytes.Length, (long)Length + length)));
        }

        return !IsTooLarge;
    }
}
