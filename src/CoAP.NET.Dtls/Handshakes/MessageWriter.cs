using System.Buffers.Binary;

namespace CoAP.NET.Dtls.Handshakes;

/// <summary>Writes a handshake message (RFC 6347 section 4.2.2), whole and with its header.</summary>
internal sealed class MessageWriter
{
    private const int Usual = 256;

    private byte[] _bytes = new byte[Usual];
    private int _length;

    /// <summary>Begins a message.</summary>
    /// <param name="type">Its type.</param>
    /// <param name="number">Its message number.</param>
    public MessageWriter(HandshakeType type, ushort number)
    {
        Span<byte> header = Take(MessageHeader.Size);
        header.Clear();
        header[0] = (byte)type;
        BinaryPrimitives.WriteUInt16BigEndian(header[4..], number);
    }

    /// <summary>Writes a number of one byte.</summary>
    /// <param name="value">The number.</param>
    public MessageWriter Byte(byte value)
    {
        Take(1)[0] = value;
        return this;
    }

    /// <summary>Writes a number of two bytes.</summary>
    /// <param name="value">The number.</param>
    public MessageWriter UInt16(ushort value)
    {
        BinaryPrimitives.WriteUInt16BigEndian(Take(sizeof(ushort)), value);
        return this;
    }

    /// <summary>Writes bytes.</summary>
    /// <param name="bytes">The bytes.</param>
    public MessageWriter Bytes(ReadOnlySpan<byte> bytes)
    {
        bytes.CopyTo(Take(bytes.Length));
        return this;
    }

    /// <summary>Writes a vector.</summary>
    /// <param name="lengthSize">Bytes of its length: 1, 2 or 3.</param>
    /// <param name="bytes">Its content.</param>
    public MessageWriter Vector(int lengthSize, ReadOnlySpan<byte> bytes)
    {
        WriteLength(Take(lengthSize), bytes.Length);
        return Bytes(bytes);
    }

    /// <summary>Begins a vector whose length is written later.</summary>
    /// <param name="lengthSize">Bytes of its length.</param>
    /// <returns>The mark for <see cref="EndVector"/>.</returns>
    public int BeginVector(int lengthSize)
    {
        _ = Take(lengthSize);
        return _length;
    }

    /// <summary>Ends a vector.</summary>
    /// <param name="mark">The mark of <see cref="BeginVector"/>.</param>
    /// <param name="lengthSize">Bytes of its length.</param>
    public MessageWriter EndVector(int mark, int lengthSize)
    {
        WriteLength(_bytes.AsSpan(mark - lengthSize, lengthSize), _length - mark);
        return this;
    }

    /// <summary>
    /// Ends the block of extensions of a hello. Without extensions it takes its length back: old peers read no block in a hello that needs
    /// none, and a server must not answer a hello without extensions with one (RFC 5246 section 7.4.1.2).
    /// </summary>
    /// <param name="mark">The mark of <see cref="BeginVector"/>, with a length of two bytes.</param>
    public MessageWriter EndExtensions(int mark)
    {
        if (_length > mark)
        {
            return EndVector(mark, sizeof(ushort));
        }

        _length = mark - sizeof(ushort);
        return this;
    }

    /// <summary>Returns the bytes written after a mark.</summary>
    /// <param name="mark">The mark of <see cref="BeginVector"/>.</param>
    public ReadOnlySpan<byte> Since(int mark) => _bytes.AsSpan(mark, _length - mark);

    /// <summary>Returns the message.</summary>
    public byte[] Finish()
    {
        int length = _length - MessageHeader.Size;
        WriteLength(_bytes.AsSpan(1, 3), length);
        WriteLength(_bytes.AsSpan(9, 3), length);
        return _bytes[.._length];
    }

    private static void WriteLength(Span<byte> field, int length)
    {
        for (int i = field.Length - 1; i >= 0; i--)
        {
            field[i] = (byte)length;
            length >>= 8;
        }
    }

    private Span<byte> Take(int length)
    {
        if (_length + length > _bytes.Length)
        {
            Array.Resize(ref _bytes, Math.Max(2 * _bytes.Length, _length + length));
        }

        _length += length;
        return _bytes.AsSpan(_length - length, length);
    }
}
