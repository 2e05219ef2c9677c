using CoAP.NET.Content.Cbor;

namespace CoAP.NET.Edhoc.Messages;

/// <summary>
/// Reads the CBOR sequence of a message. It rejects non-deterministic encodings (RFC 8949 section 4.2.1): overlong heads and indefinite
/// lengths (RFC 9528 section 3.1). Every fault is an <see cref="EdhocException"/> that names the element.
/// </summary>
internal ref struct SequenceReader
{
    private const int MaxDepth = 8;
    private readonly ReadOnlySpan<byte> _data;
    private readonly string _name;
    private readonly bool _isStrict;

    /// <param name="data">The sequence.</param>
    /// <param name="name">Its readable name.</param>
    /// <param name="isStrict">
    /// Whether to reject non-deterministic encodings. Credentials may have any encoding that their issuer chose.
    /// </param>
    public SequenceReader(ReadOnlySpan<byte> data, string name, bool isStrict = true)
    {
        _data = data;
        (_name, _isStrict) = (name, isStrict);
    }

    public int Position { get; private set; }

    public readonly bool IsAtEnd => Position == _data.Length;

    public readonly CborMajor Peek()
    {
        return IsAtEnd ? throw Fault("ends too early") : (CborMajor)(_data[Position] >> 5);
    }

    public readonly EdhocException Fault(string what) => new($"{_name} {what}.");

    public CborHead ReadHead()
    {
        if (CborHead.Read(_data[Position..], out CborHead head) is { } wrong)
        {
            throw Fault($"is not CBOR: {wrong}");
        }

        if (head.IsIndefinite)
        {
            throw Fault("has an item of indefinite length");
        }

        if (_isStrict && head.Major != CborMajor.Simple && head.Length != ShortestLength(head.Argument))
        {
            throw Fault("has an integer or a length that is longer than needed");
        }

        Position += head.Length;
        return head;
    }

    public int ReadInt(string what)
    {
        CborHead head = ReadHead();
        return head.TryGetInt64(out long value) && value is >= int.MinValue and <= int.MaxValue
            ? (int)value
            : throw Fault($"has no integer where {what} was expected");
    }

    public ReadOnlySpan<byte> ReadBytes(string what)
    {
        CborHead head = ReadHead();
        return head.Major == CborMajor.ByteString ? Take(head) : throw Fault($"has no byte string where {what} was expected");
    }

    public string ReadText(string what)
    {
        CborHead head = ReadHead();
        ReadOnlySpan<byte> bytes =
            head.Major == CborMajor.TextString ? Take(head) : throw Fault($"has no text where {what} was expected");
        return System.Text.Unicode.Utf8.IsValid(bytes)
            ? System.Text.Encoding.UTF8.GetString(bytes)
            : throw Fault("has a text that is not UTF-8");
    }

    /// <summary>Reads the head of a map or an array.</summary>
    /// <returns>The number of pairs or items that follow.</returns>
    public int ReadContainer(CborMajor major, string what)
    {
        CborHead head = ReadHead();
        return head.Major == major ? Count(head) : throw Fault($"has no {major.ToString().ToLowerInvariant()} where {what} was expected");
    }

    /// <summary>
    /// Reads an identifier: a byte string, or a one-byte integer that represents the byte string of that byte (RFC 9528 section 3.3.2).
    /// </summary>
    public byte[] ReadIdentifier(string what)
    {
        int start = Position;
        CborHead head = ReadHead();
        if (head.IsInteger && head.Length == 1)
        {
            return [_data[start]];
        }

        ReadOnlySpan<byte> bytes =
            head.Major == CborMajor.ByteString ? Take(head) : throw Fault($"has no identifier where {what} was expected");
        return Identifiers.IsInteger(bytes)
            ? throw Fault($"has a byte string where {what} has to be an integer")
            : bytes.ToArray();
    }

    /// <summary>Reads any item as its bytes.</summary>
    public ReadOnlySpan<byte> ReadItem()
    {
        int start = Position;
        Skip(MaxDepth);
        return _data[start..Position];
    }

    public readonly void End()
    {
        if (!IsAtEnd)
        {
            throw Fault("has more than belongs to it");
        }
    }

    private static int ShortestLength(ulong argument) => argument switch
    {
        < 24 => 1,
        <= byte.MaxValue => 2,
        <= ushort.MaxValue => 3,
        <= uint.MaxValue => 5,
        _ => 9,
    };

    private ReadOnlySpan<byte> Take(CborHead head)
    {
        if (head.Argument > (ulong)(_data.Length - Position))
        {
            throw Fault("ends too early");
        }

        ReadOnlySpan<byte> bytes = _data.Slice(Position, (int)head.Argument);
        Position += bytes.Length;
        return bytes;
    }

    private readonly int Count(CborHead head)
    {
        int each = head.Major == CborMajor.Map ? 2 : 1;
        return head.Argument <= (ulong)((_data.Length - Position) / each) ? (int)head.Argument : throw Fault("ends too early");
    }

    private void Skip(int depth)
    {
        if (depth == 0)
        {
            throw Fault($"has items more than {MaxDepth} deep in each other");
        }

        CborHead head = ReadHead();
        int items = 0;
        switch (head.Major)
        {
            case CborMajor.ByteString:
                Take(head);
                break;
            case CborMajor.TextString:
                if (!System.Text.Unicode.Utf8.IsValid(Take(head)))
                {
                    throw Fault("has a text that is not UTF-8");
                }

                break;
            case CborMajor.Tag:
                items = 1;
                break;
            case CborMajor.Array:
                items = Count(head);
                break;
            case CborMajor.Map:
                items = 2 * Count(head);
                break;
        }

        for (int i = 0; i < items; i++)
        {
            Skip(depth - 1);
        }
    }
}
