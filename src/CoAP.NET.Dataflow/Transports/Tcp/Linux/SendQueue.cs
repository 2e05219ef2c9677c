using System.Buffers;

namespace CoAP.NET.Transports;

/// <summary>Bytes that a connection does not take yet, in order. Small frames are copied together, large ones are kept as they are. Not thread-safe.</summary>
internal sealed class SendQueue
{
    private const int FirstSize = 4096;
    private const int NextSize = 32 * 1024;

    // Less than this is copied: a whole buffer of a pool is not held for a few bytes.
    private const int LargeFrame = 8 * 1024;

    private readonly LinkedList<Piece> _pieces = new();

    /// <summary>How many bytes there are.</summary>
    public int Length { get; private set; }

    /// <summary>How much memory they take, in bytes: a buffer of which a part was sent is held as a whole.</summary>
    public long Held { get; private set; }

    /// <summary>Appends what is left of a frame and takes the frame over.</summary>
    /// <param name="frame">The frame.</param>
    /// <param name="sent">How much of it is sent already.</param>
    public void Add(CoapDatagram frame, int sent)
    {
        int rest = frame.Length - sent;
        if (rest >= LargeFrame)
        {
            Held += frame.Buffer.Length;
            _pieces.AddLast(new Piece { Buffer = frame.Buffer, Start = frame.Offset + sent, End = frame.Offset + frame.Length, Frame = frame });
            Length += rest;
            return;
        }

        Append(frame.Span[sent..]);
        frame.Dispose();
    }

    /// <summary>Puts bytes before all others.</summary>
    public void Prepend(ReadOnlySpan<byte> bytes)
    {
        Piece piece = Rent(bytes.Length);
        bytes.CopyTo(piece.Buffer);
        piece.End = bytes.Length;
        _pieces.AddFirst(piece);
        Length += bytes.Length;
    }

    /// <summary>What is to be sent next.</summary>
    public ReadOnlySpan<byte> Peek() => _pieces.First is { Value: var first } ? first.Buffer.AsSpan(first.Start, first.End - first.Start) : default;

    /// <summary>Takes out what was sent of <see cref="Peek"/>.</summary>
    public void Skip(int count)
    {
        Piece first = _pieces.First!.Value;
        first.Start += count;
        Length -= count;
        if (first.Start == first.End)
        {
            _pieces.RemoveFirst();
            Return(first);
        }
    }

    /// <summary>Drops everything.</summary>
    public void Clear()
    {
        foreach (Piece piece in _pieces)
        {
            Return(piece);
        }

        _pieces.Clear();
        Length = 0;
    }

    private Piece Rent(int size)
    {
        byte[] buffer = ArrayPool<byte>.Shared.Rent(size);
        Held += buffer.Length;
        return new Piece { Buffer = buffer };
    }

    private void Return(Piece piece)
    {
        Held -= piece.Buffer.Length;
        if (piece.Frame is { } frame)
        {
            frame.Dispose();
        }
        else
        {
            ArrayPool<byte>.Shared.Return(piece.Buffer);
        }
    }

    private void Append(ReadOnlySpan<byte> bytes)
    {
        Length += bytes.Length;
        while (bytes.Length > 0)
        {
            if (_pieces.Last is not { Value: { Frame: null } last } || last.End == last.Buffer.Length)
            {
                last = Rent(Math.Max(_pieces.Count == 0 ? FirstSize : NextSize, bytes.Length));
                _pieces.AddLast(last);
            }

            int count = Math.Min(bytes.Length, last.Buffer.Length - last.End);
            bytes[..count].CopyTo(last.Buffer.AsSpan(last.End));
            last.End += count;
            bytes = bytes[count..];
        }
    }

    private sealed class Piece
    {
        public required byte[] Buffer { get; init; }

        public int Start { get; set; }

        public int End { get; set; }

        /// <summary>Whose buffer it is; null for one of the pool.</summary>
        public CoapDatagram? Frame { get; init; }
    }
}
