using System.Buffers.Binary;

namespace CoAP.NET.Dtls.Handshakes;

/// <summary>Reads the fields of a handshake message (RFC 5246 section 4). A message that is too short ends the handshake.</summary>
internal ref struct MessageReader(ReadOnlySpan<byte> rest)
{
    private ReadOnlySpan<byte> _rest = rest;

    /// <summary>Whether nothing is left.</summary>
    public readonly bool IsEmpty => _rest.IsEmpty;

    /// <summary>The bytes that are left.</summary>
    public readonly ReadOnlySpan<byte> Rest => _rest;

    /// <summary>Reads a number of one byte.</summary>
    /// <exception cref="AlertException">The message is too short.</exception>
    public byte ReadByte() => Read(1)[0];

    /// <summary>Reads a number of two bytes.</summary>
    /// <exception cref="AlertException">The message is too short.</exception>
    public ushort ReadUInt16() => BinaryPrimitives.ReadUInt16BigEndian(Read(sizeof(ushort)));

    /// <summary>Reads bytes.</summary>
    /// <param name="length">How many.</param>
    /// <exception cref="AlertException">The message is too short.</exception>
    public ReadOnlySpan<byte> Read(int length)
    {
        if (length > _rest.Length)
        {
            throw new AlertException(AlertDescription.DecodeError, "The other end sent a handshake message that is too short.");
        }

        ReadOnlySpan<byte> field = _rest[..length];
        _rest = _rest[length..];
        return field;
    }

    /// <summary>Reads a vector.</summary>
    /// <param name="lengthSize">Bytes of its length: 1, 2 or 3.</param>
    /// <exception cref="AlertException">The message is too short.</exception>
    public ReadOnlySpan<byte> ReadVector(int lengthSize)
    {
        int length = 0;
        foreach (byte one in Read(lengthSize))
        {
            length = (length << 8) | one;
        }

        return Read(length);
    }

    /// <summary>Reads a vector of numbers of two bytes each, such as groups and signature algorithms.</summary>
    /// <exception cref="AlertException">The message is too short, or the vector is empty or cuts a number.</exception>
    public ReadOnlySpan<byte> ReadNumbers()
    {
        ReadOnlySpan<byte> numbers = ReadVector(2);
        return numbers.Length > 0 && numbers.Length % sizeof(ushort) == 0
            ? numbers
            : throw new AlertException(
                AlertDescription.DecodeError, "The other end sent an empty list of numbers, or a list with half a number.");
    }

    /// <summary>Reads a session ID (RFC 5246 section 7.4.1.2).</summary>
    /// <exception cref="AlertException">The message is too short, or the ID has more than 32 bytes.</exception>
    public ReadOnlySpan<byte> ReadSessionId()
    {
        const int MaxLength = 32;
        ReadOnlySpan<byte> id = ReadVector(1);
        return id.Length <= MaxLength
            ? id
            : throw new AlertException(AlertDescription.DecodeError, "The other end sent a session ID of more than 32 bytes.");
    }

    /// <summary>Checks that nothing is left.</summary>
    /// <exception cref="AlertException">There is more.</exception>
    public readonly void End()
    {
        if (!_rest.IsEmpty)
        {
            throw new AlertException(AlertDescription.DecodeError, "The other end sent a handshake message that is too long.");
        }
    }
}
