namespace CoAP.NET.Dtls.Handshakes;

/// <summary>
/// Puts the messages of the peer together, in the order of their numbers (RFC 6347 section 4.2.3). Fragments may arrive in any order and
/// overlap. It holds few messages beyond the next one, and memory only for bytes that arrived. Not thread-safe.
/// </summary>
/// <param name="next">The number of the next message.</param>
/// <param name="maxBytes">Maximum bytes that it holds, over all messages.</param>
internal sealed class MessageAssembler(ushort next, int maxBytes)
{
    // A whole flight: ServerHello, Certificate, ServerKeyExchange, CertificateRequest, ServerHelloDone.
    private const int MaxAhead = 6;

    // Ranges of bytes that arrived of one message: more than any order of usual datagrams leaves.
    private const int MaxRanges = 64;

    private readonly List<Message> _messages = [];
    private int _held;

    /// <summary>The number of the next message.</summary>
    public ushort Next { get; private set; } = next;

    /// <summary>Adds a message or a fragment.</summary>
    /// <param name="header">Its header.</param>
    /// <param name="fragment">Its bytes, without header.</param>
    /// <returns>False if it is old, too far ahead, or there is no room; the peer sends it again.</returns>
    public bool TryAdd(in MessageHeader header, ReadOnlySpan<byte> fragment)
    {
        if (header.Number < Next || header.Number > Next + MaxAhead)
        {
            return false;
        }

        ushort number = header.Number;
        Message? message = _messages.Find(one => one.Number == number);
        if (message is not null && (message.Type != header.Type || message.Length != header.Length))
        {
            // Either may be forged, and nothing shows which. The newer one stays: a flight that is sent again replaces what was forged.
            Remove(message);
            message = null;
        }

        message ??= new Message(number, header.Type, header.Length);
        int end = header.Offset + header.FragmentLength;
        int growth = message.GrowthFor(end);
        if (_held + growth > maxBytes || !message.HasRangeFor(header.Offset, end))
        {
            return false;
        }

        if (message.Capacity == 0)
        {
            _messages.Add(message);
        }

        _held += growth;
        message.Add(header.Offset, fragment);
        return true;
    }

    /// <summary>Returns the next message, if it is whole. <see cref="Accept"/> or <see cref="Drop"/> decides about it.</summary>
    /// <param name="type">Its type.</param>
    /// <param name="message">The message with its header, as if it had come in one fragment.</param>
    public bool TryPeek(out HandshakeType type, out ReadOnlyMemory<byte> message)
    {
        Message? found = _messages.Find(one => one.Number == Next && one.IsWhole);
        (type, message) = found is null ? default : (found.Type, found.Whole());
        return found is not null;
    }

    /// <summary>The next message belongs to the handshake.</summary>
    public void Accept()
    {
        Drop();
        Next++;
    }

    /// <summary>Forgets the next message: another one with its number may be the right one.</summary>
    public void Drop() => Remove(_messages.Find(one => one.Number == Next)!);

    /// <summary>Continues with another number and forgets what it holds.</summary>
    /// <param name="number">The number of the next message.</param>
    public void Restart(ushort number)
    {
        _messages.Clear();
        _held = 0;
        Next = number;
    }

    private void Remove(Message message)
    {
        _held -= message.Capacity;
        _ = _messages.Remove(message);
    }

    private sealed class Message(ushort number, HandshakeType type, int length)
    {
        private readonly List<(int Start, int End)> _ranges = [];
        private byte[] _bytes = [];

        public ushort Number => number;

        public HandshakeType Type => type;

        public int Length => length;

        public int Capacity => _bytes.Length;

        public bool IsWhole => length == 0 ? _ranges.Count > 0 : _ranges is [{ Start: 0 } only] && only.End == length;

        public int GrowthFor(int end) => Math.Max(0, MessageHeader.Size + end - _bytes.Length);

        // A fragment that closes a gap, or continues a range, needs no further one.
        public bool HasRangeFor(int start, int end) =>
            _ranges.Count < MaxRanges || _ranges.Exists(one => one.Start <= end && one.End >= start);

        public void Add(int offset, ReadOnlySpan<byte> fragment)
        {
            int end = offset + fragment.Length;
            if (GrowthFor(end) > 0)
            {
                Array.Resize(ref _bytes, MessageHeader.Size + end);
            }

            fragment.CopyTo(_bytes.AsSpan(MessageHeader.Size + offset));
            (int start, int stop) = (offset, end);
            for (int i = _ranges.Count - 1; i >= 0; i--)
            {
                if (_ranges[i].Start <= stop && _ranges[i].End >= start)
                {
                    (start, stop) = (Math.Min(start, _ranges[i].Start), Math.Max(stop, _ranges[i].End));
                    _ranges.RemoveAt(i);
                }
            }

            _ranges.Add((start, stop));
        }

        public ReadOnlyMemory<byte> Whole()
        {
            Span<byte> header = _bytes;
            header[0] = (byte)type;
            (header[1], header[2], header[3]) = ((byte)(length >> 16), (byte)(length >> 8), (byte)length);
            (header[4], header[5]) = ((byte)(number >> 8), (byte)number);
            header.Slice(6, 3).Clear();
            header[1..4].CopyTo(header[9..]);
            return _bytes.AsMemory(0, MessageHeader.Size + length);
        }
    }
}
