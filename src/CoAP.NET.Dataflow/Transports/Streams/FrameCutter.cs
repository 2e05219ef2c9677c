using System.Buffers;
using System.Runtime.InteropServices;

namespace CoAP.NET.Transports;

/// <summary>
/// From the bytes that a <see cref="ConnectionReader"/> read to the frames that are handed in. Used by the reader only, but for what is
/// said of progress.
/// </summary>
internal sealed class FrameCutter(
    AsyncConnection connection, ConnectionLink link, ConnectionReader reader, ReadCharge charge, ICoapStreamContext context)
{
    private const int MaxHead = 16;

    // Shows one frame after another of an array of the input; a thread needs one.
    [ThreadStatic]
    private static CoapDatagram? t_view;

    private readonly FrameBuffer _input = new();
    private long _count;
    private long _partial;
    private long _partialReceived;

    /// <summary>How many frames were handed in. For any thread, as are the next two.</summary>
    public long Count => Volatile.Read(ref _count);

    /// <summary>
    /// The length of the frame of which only a part is there, or how much of it where the length is not known; 0 when there is none.
    /// </summary>
    public long Partial => Volatile.Read(ref _partial);

    /// <summary>How much is there of the frame of which only a part is there.</summary>
    public long PartialReceived => Volatile.Read(ref _partialReceived);

    /// <summary>Whether there are bytes that were not looked at.</summary>
    public bool HasUncut { get; private set; }

    /// <summary>Whether nothing is there.</summary>
    public bool IsEmpty => _input.Length == 0;

    /// <summary>Room for what is read next; <see cref="OnRead"/> or <see cref="GiveRoomBack"/> follows.</summary>
    public Memory<byte> GetMemory() => _input.GetMemory();

    public void GiveRoomBack() => _input.GiveRoomBack();

    /// <summary>So many bytes were read.</summary>
    public void OnRead(int count)
    {
        _input.Advance(count);
        HasUncut = true;
    }

    /// <summary>A message has begun, even if none of its bytes are there.</summary>
    public void OnMessageBegun() => Volatile.Write(ref _partial, 1);

    /// <summary>The connection is not read for now: that a frame does not go on is not the peer's fault.</summary>
    public void OnPaused() => Volatile.Write(ref _partial, 0);

    /// <summary>Hands in the frames that are there, as long as the connection may be read.</summary>
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
                // Aborted: the last frame is on its way, and nothing more is looked at.
                bytes = bytes.Slice(bytes.End);
                break;
            }

            partial = length == 0 ? bytes.Length : length;
            break;
        }

        KeepRest(bytes.Length, partial, isStopped);
    }

    /// <summary>The peer did in the last read what it must not.</summary>
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

    /// <summary>Gives all memory back.</summary>
    public void Release() => _input.Release();

    // Bytes that wait because we do not read count as well as those of a frame that is not there yet.
    private void KeepRest(long length, long partial, bool isStopped)
    {
        HasUncut = isStopped;
        _input.Skip(_input.Length - length);
        _input.Trim();
        if (!isStopped && length > 0)
        {
            // Whoever waits for the rest of a frame waits with room for it.
            _input.MakeRoom();
        }

        Volatile.Write(ref _partialReceived, partial == 0 ? 0 : length);
        Volatile.Write(ref _partial, partial);
        if (!charge.TrySetFrames(_input.Charge))
        {
            connection.End(charge.Refusal(), lingers: false);
        }
    }

    // The frame is the message, which is measured when it is whole, or has become too long.
    private long Measure(in ReadOnlySequence<byte> bytes)
    {
        if (link.HasMessages)
        {
            if (bytes.Length > context.Limits.MaxStreamMessageSize)
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
        StageTime.Forget();
        context.Receive(frame);
        if (!frame.TryTakeBack())
        {
            // Somebody keeps it, and the array it shows.
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
