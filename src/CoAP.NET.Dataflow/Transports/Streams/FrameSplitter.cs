using System.Buffers;
using System.Runtime.InteropServices;

namespace CoAP.NET.Transports.Streams;

/// <summary>
/// Cuts the bytes of a <see cref="ConnectionReader"/> into frames and hands them in. Used by the reader only, except for the progress.
/// </summary>
internal sealed class FrameSplitter(
    AsyncIOConnection connection, ConnectionByteTransport link, ConnectionReader reader, ConnectionReaderMemoryCharge charge,
        ICoapStreamTransportContext context)
{
    private const int MaxHead = 16;

    // Shows one frame after another of an input array; one per thread.
    [ThreadStatic]
    private static CoapDatagram? t_view;

    private readonly FrameBuffer _input = new();
    private long _count;
    private long _partial;
    private long _partialReceived;

    /// <summary>The number of frames handed in. Thread-safe, as are the next two members.</summary>
    public long Count => Volatile.Read(ref _count);

    /// <summary>The length of the partial frame, or its available bytes while the length is unknown; 0 for none.</summary>
    public long Partial => Volatile.Read(ref _partial);

    /// <summary>The available bytes of the partial frame.</summary>
    public long PartialReceived => Volatile.Read(ref _partialReceived);

    /// <summary>Whether there are unprocessed bytes.</summary>
    public bool HasUncut { get; private set; }

    /// <summary>Whether there are no bytes.</summary>
    public bool IsEmpty => _input.Length == 0;

    /// <summary>Returns room for the next read; <see cref="OnRead"/> or <see cref="ReleaseCapacity"/> follows.</summary>
    public Memory<byte> GetMemory() => _input.GetMemory();

    public void ReleaseCapacity() => _input.ReleaseCapacity();

    /// <summary>Records the number of read bytes.</summary>
    public void OnRead(int count)
    {
        _input.Advance(count);
        HasUncut = true;
    }

    /// <summary>Records the beginning of a message, even without any of its bytes.</summary>
    public void OnMessageBegun() => Volatile.Write(ref _partial, 1);

    /// <summary>Records a pause of reading: the peer is not responsible for the partial frame.</summary>
    public void OnPaused() => Volatile.Write(ref _partial, 0);

    /// <summary>Hands in the complete frames, as long as reading is allowed.</summary>
    public void Cut()
    {
        ReadOnlySequence<byte> bytes = _input.Bytes;
        long partial = 0;
        bool isStopped = false;
        while (!bytes.IsEmpty)
        {
            if (!reader.TryBeginFrame())
            {
                isStopped = true;
                break;
            }

            long length = 0;
            try
            {
                length = Measure(bytes);
                if (length > 0 && length <= bytes.Length)
                {
                    Volatile.Write(ref _count, _count + 1);
                    HandIn(bytes.Slice(0, length));
                    bytes = bytes.Slice(length);
                    continue;
                }
            }
            finally
            {
                reader.EndFrame();
            }

            if (length < 0)
            {
                // Aborted: the last frame was sent, and nothing more is processed.
                bytes = bytes.Slice(bytes.End);
                break;
            }

            partial = length == 0 ? bytes.Length : length;
            break;
        }

        KeepRest(bytes.Length, partial, isStopped);
    }

    /// <summary>Handles a violation by the peer in the last read.</summary>
    public void Refuse(string violation)
    {
        HasUncut = !reader.TryBeginFrame();
        if (!HasUncut)
        {
            try
            {
                context.Refuse(connection, violation);
            }
            finally
            {
                reader.EndFrame();
            }
        }
    }

    /// <summary>Returns all memory.</summary>
    public void Release() => _input.Release();

    // Bytes that wait because reading is paused count like those of a partial frame.
    private void KeepRest(long length, long partial, bool isStopped)
    {
        HasUncut = isStopped;
        _input.Skip(_input.Length - length);
        _input.Trim();
        if (!isStopped && length > 0)
        {
            // A connection that waits for the rest of a frame waits with room for it.
            _input.MakeRoom();
        }

        Volatile.Write(ref _partialReceived, partial == 0 ? 0 : length);
        Volatile.Write(ref _partial, partial);
        if (!charge.TrySetFrames(_input.Charge))
        {
            connection.End(charge.Refusal(), lingers: false);
        }
    }

    // The frame is the message, which is measured when it is complete or exceeds the limit.
    private long Measure(in ReadOnlySequence<byte> bytes)
    {
        if (link.HasMessages)
        {
            if (bytes.Length > context.Limits.Connections.MaxMessageSize)
            {
                link.OnTooLarge();
            }
            else if (!link.IsMessageWhole)
            {
                return 0;
            }
        }

        ReadOnlySpan<byte> first = bytes.FirstSpan;
        if (first.Length >= MaxHead || bytes.IsSingleSegment)
        {
            return context.MeasureFrame(connection, first, bytes.Length);
        }

        Span<byte> head = stackalloc byte[MaxHead];
        int length = (int)Math.Min(MaxHead, bytes.Length);
        bytes.Slice(0, length).CopyTo(head);
        return context.MeasureFrame(connection, head[..length], bytes.Length);
    }

    private void HandIn(in ReadOnlySequence<byte> bytes)
    {
        int length = (int)bytes.Length;
        byte[]? joined = null;
        if (!bytes.IsSingleSegment || !MemoryMarshal.TryGetArray(bytes.First, out ArraySegment<byte> place))
        {
            joined = ArrayPool<byte>.Shared.Rent(length);
            bytes.CopyTo(joined);
            place = new ArraySegment<byte>(joined, 0, length);
        }

        CoapDatagram frame = t_view ?? CoapDatagram.MakeView();
        t_view = null;
        frame.Show(place.Array!, place.Offset, length);
        frame.Remote = connection.Remote;
        frame.Local = connection.Local;
        frame.Transport = connection.Transport;
        frame.Channel = connection.Channel;
        context.Receive(frame);
        if (!frame.TryTakeBack())
        {
            // The pipeline keeps it, and the array that it shows.
            if (joined is null)
            {
                _input.Keep(place.Array!);
            }

            return;
        }

        t_view = frame;
        if (joined is not null)
        {
            CoapDatagramPool.OnReturned(joined);
            ArrayPool<byte>.Shared.Return(joined);
        }
    }
}
