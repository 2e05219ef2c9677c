using System.Buffers;

namespace CoAP.NET.Transports.Streams;

/// <summary>
/// Bytes that a connection does not take yet, in order. Small frames are combined by copying, large ones are kept as they are. It holds no
/// memory while it is empty. Not thread-safe.
/// </summary>
/// <param name="firstSize">The size of the buffer for the first small frames, in bytes.</param>
internal sealed class SendQueue(int firstSize = 4096)
{
    private const int NextSize = 32 * 1024;

    // Smaller frames are copied, so that a few bytes do not hold a whole pooled buffer.
    private const int LargeFrame = 8 * 1024;

    private Piece? _first;
    private Piece? _last;

    // A removed piece, so that a connection whose peer takes everything at once allocates nothing.
    private Piece? _spare;

    /// <summary>The number of bytes.</summary>
    public int Length { get; private set; }

    /// <summary>The memory in bytes: a partly sent buffer counts as a whole.</summary>
    public long QueuedBytes { get; private set; }

    /// <summary>Appends the rest of a frame and takes the frame over.</summary>
    /// <param name="frame">The frame.</param>
    /// <param name="sent">The number of already sent bytes.</param>
    public void Add(CoapDatagram frame, int sent)
    {
        int rest = frame.Length - sent;
        if (rest >= LargeFrame)
        {
            Piece piece = Take(frame.Buffer);
            (piece.Start, piece.End, piece.Frame) = (frame.Offset + sent, frame.Offset + frame.Length, frame);
            Append(piece);
            Length += rest;
            return;
        }

        Append(frame.Span[sent..]);
        frame.Dispose();
    }

    /// <summary>Inserts bytes before all others.</summary>
    public void Prepend(ReadOnlySpan<byte> bytes)
    {
        Piece piece = Rent(bytes.Length);
        bytes.CopyTo(piece.Buffer);
        piece.End = bytes.Length;
        piece.Next = _first;
        _first = piece;
        _last ??= piece;
        Length += bytes.Length;
    }

    /// <summary>
    /// Returns the next bytes to send; empty for none. They stay unchanged until <see cref="Skip"/> or <see cref="Clear"/>.
    /// </summary>
    public ReadOnlyMemory<byte> Peek() => _first is { } first ? first.Buffer.AsMemory(first.Start, first.End - first.Start) : default;

    /// <summary>Removes the sent bytes of <see cref="Peek"/>.</summary>
    public void Skip(int count)
    {
        Piece first = _first!;
        first.Start += count;
        Length -= count;
        if (first.Start == first.End)
        {
            RemoveFirst(first);
        }
    }

    /// <summary>Drops everything.</summary>
    public void Clear()
    {
        while (_first is { } first)
        {
            RemoveFirst(first);
        }

        Length = 0;
    }

    private void Append(ReadOnlySpan<byte> bytes)
    {
        Length += bytes.Length;
        while (bytes.Length > 0)
        {
            if (_last is not { Frame: null } last || last.End == last.Buffer.Length)
            {
                last = Rent(Math.Max(_first is null ? firstSize : NextSize, bytes.Length));
                Append(last);
            }

            int count = Math.Min(bytes.Length, last.Buffer.Length - last.End);
            bytes[..count].CopyTo(last.Buffer.AsSpan(last.End));
            last.End += count;
            bytes = bytes[count..];
        }
    }

    private void Append(Piece piece)
    {
        if (_last is { } last)
        {
            last.Next = piece;
        }
        else
        {
            _first = piece;
        }

        _last = piece;
    }

    private void RemoveFirst(Piece first)
    {
        _first = first.Next;
        if (_first is null)
        {
            _last = null;
        }

        QueuedBytes -= first.Buffer.Length;
        if (first.Frame is { } frame)
        {
            frame.Dispose();
        }
        else
        {
            ArrayPool<byte>.Shared.Return(first.Buffer);
        }

        (first.Buffer, first.Frame, first.Next) = ([], null, null);
        _spare = first;
    }

    private Piece Rent(int size) => Take(ArrayPool<byte>.Shared.Rent(size));

    private Piece Take(byte[] buffer)
    {
        Piece piece = _spare ?? new Piece();
        _spare = null;
        (piece.Buffer, piece.Start, piece.End) = (buffer, 0, 0);
        QueuedBytes += buffer.Length;
        return piece;
    }

    private sealed class Piece
    {
        public byte[] Buffer { get; set; } = [];

        public int Start { get; set; }

        public int End { get; set; }

        /// <summary>The frame that owns the buffer; null for a pooled buffer.</summary>
        public CoapDatagram? Frame { get; set; }

        public Piece? Next { get; set; }
    }
}
