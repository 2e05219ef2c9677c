using System.Buffers;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using CoAP.NET.Transports.Loops;
using CoAP.NET.Transports.Streams;

namespace CoAP.NET.Transports.Tcp;

/// <summary>
/// Reads the input of a <see cref="TcpReceiver"/> and cuts it into frames. The pipeline sees frames in place. If it keeps one, it keeps the
/// memory too, and the loop takes new memory. Belongs to the thread that holds the role of the loop.
/// </summary>
internal sealed unsafe class TcpFrameSplitter
{
    private const int ScratchSize = 64 * 1024;

    // The maximum end of a head with the length of its frame (RFC 8323 section 3.2), and more than MeasureFrame needs.
    private const int HeadSize = 16;

    // A block that keeps frames keeps them all: so many of them are copied, so that it does not keep a large buffer for each.
    private const int FramesToCopy = 4096;

    // A few are kept for the next connection that needs one.
    private const int MaxSpares = 16;

    private const int ReadsBeforeClose = 16;

    private readonly Stack<FrameBuffer> _spares = new();
    private readonly CoapDatagramPool _copies = new(2048);
    private CoapDatagram _view = CoapDatagram.MakeView();

    // Input of connections without remaining bytes goes here, so idle connections hold no memory.
    private byte[] _scratch = [];
    private byte* _scratchAt;
    private bool _isScratchKept;

    // The source of the bytes that are being cut; null for the connection's own buffer.
    private byte[]? _source;
    private int _offset;
    private int _end;

    // The array of the last shown frame that was not copied.
    private byte[]? _lent;
    private byte[]? _joined;
    private int _framesToCopy;

    public TcpFrameSplitter() => RenewScratch();

    /// <summary>Reads once without waiting.</summary>
    /// <param name="file">The connection.</param>
    /// <param name="isFull">Whether there may be more input.</param>
    /// <returns>The number of bytes; 0 at the end; minus the error of the system.</returns>
    public nint Read(EpollWatchedConnection file, out bool isFull)
    {
        nint count;
        if (file.Partial is not { } partial)
        {
            count = Receive(file, out isFull);
            if (count > 0)
            {
                _source = _scratch;
                _offset = 0;
                _end = (int)count;
            }

            return count;
        }

        Memory<byte> memory = partial.GetMemory();
        fixed (byte* at = memory.Span)
        {
            count = LibC.Receive(file.Connection.Descriptor, at, (nuint)memory.Length, LibC.DontWait);
        }

        isFull = count == memory.Length;
        if (count > 0)
        {
            partial.Advance((int)count);
        }
        else
        {
            partial.ReleaseCapacity();
        }

        return count;
    }

    /// <summary>Reads and discards input.</summary>
    public nint ReadNothing(EpollWatchedConnection file, out bool isFull) => Receive(file, out isFull);

    /// <summary>Reads remaining input, which would make the kernel reset the connection on closing.</summary>
    public void Drain(int descriptor)
    {
        for (int i = 0; i < ReadsBeforeClose && LibC.Receive(descriptor, _scratchAt, ScratchSize, LibC.DontWait) > 0; i++)
        {
        }
    }

    /// <summary>Returns the next complete frame. <see cref="TakeBack"/> ends its turn.</summary>
    public CoapDatagram? Cut(EpollWatchedConnection file, out bool isBroken)
    {
        isBroken = false;
        if (_source is null)
        {
            return file.Partial is { } partial ? CutPartial(file, partial, out isBroken) : null;
        }

        int available = _end - _offset;
        if (available == 0)
        {
            return null;
        }

        ReadOnlySpan<byte> head = new(_source, _offset, Math.Min(available, HeadSize));
        long length = file.Context.MeasureFrame(file.Connection, head, available);
        if (length <= 0 || length > available)
        {
            isBroken = length < 0;
            file.Needed = Math.Max(length, 0);
            return null;
        }

        int offset = _offset;
        _offset += (int)length;
        return Show(file.Connection, _source, offset, (int)length);
    }

    /// <summary>Ends the turn of the last shown frame.</summary>
    public void TakeBack(EpollWatchedConnection? file)
    {
        if (_lent is not { } lent)
        {
            return;
        }

        _lent = null;
        byte[]? joined = _joined;
        _joined = null;
        if (_view.TryTakeBack())
        {
            if (joined is not null)
            {
                ArrayPool<byte>.Shared.Return(joined);
            }

            return;
        }

        _view = CoapDatagram.MakeView();
        _framesToCopy = FramesToCopy;
        if (_source is not null)
        {
            _isScratchKept = true;
        }
        else if (joined is null)
        {
            file?.Partial?.Keep(lent);
        }
    }

    /// <summary>Moves unprocessed input to memory where it may stay until the next turn.</summary>
    /// <returns>False when there is none, or no memory: then hand it in now.</returns>
    public bool TrySetAside(EpollWatchedConnection file)
    {
        if (_source is null)
        {
            file.Partial?.Trim();
            return file.Partial is { Length: > 0 } partial && TryCharge(file, partial.Charge);
        }

        int length = _end - _offset;
        if (length == 0 || !TryCharge(file, FrameBuffer.ChargeOf(length)))
        {
            return false;
        }

        file.Partial = TakeRest();
        _source = null;
        return true;
    }

    /// <summary>Stores unprocessed input: a partial frame, or all input after a pause or for the next turn.</summary>
    /// <param name="file">The connection.</param>
    /// <param name="isHeld">Whether it may contain complete frames, which are handed in later.</param>
    /// <returns>Whether the caller must schedule that.</returns>
    public bool KeepRest(EpollWatchedConnection file, bool isHeld)
    {
        LinuxTcpConnection connection = file.Connection;
        bool isReady = false;
        if (connection.IsClosing || connection.Sender.IsEnding || file.IsDiscarding || file.HasEnded)
        {
            Drop(file);
        }
        else
        {
            if (_source is not null && _end > _offset)
            {
                file.Partial = TakeRest();
            }

            if (file.Partial is { Length: 0 })
            {
                Drop(file);
            }
            else if (file.Partial is { } partial)
            {
                isReady = Keep(file, partial, isHeld);
            }
        }

        _source = null;
        if (_isScratchKept)
        {
            _isScratchKept = false;
            RenewScratch();
        }

        return isReady;
    }

    /// <summary>Returns the memory of a connection's remaining input.</summary>
    public void Drop(EpollWatchedConnection file)
    {
        file.Needed = 0;
        file.Connection.ShowPartial(0, 0);
        if (file.Partial is not { } partial)
        {
            return;
        }

        file.Partial = null;
        partial.Release();
        _ = TryCharge(file, 0);
        if (_spares.Count < MaxSpares)
        {
            _spares.Push(partial);
        }
    }

    /// <returns>False when there is no memory for it.</returns>
    private static bool TryCharge(EpollWatchedConnection file, int wanted)
    {
        int change = wanted - file.Charged;
        if (change > 0 && !file.Context.TryReserveAssembly(file.Connection, change))
        {
            return false;
        }

        if (change < 0)
        {
            file.Context.ReleaseAssembly(file.Connection, -change);
        }

        file.Charged = wanted;
        return true;
    }

    private static ReadOnlySpan<byte> HeadOf(in ReadOnlySequence<byte> bytes, Span<byte> room)
    {
        if (bytes.IsSingleSegment || bytes.FirstSpan.Length >= HeadSize)
        {
            return bytes.FirstSpan;
        }

        int length = (int)Math.Min(bytes.Length, HeadSize);
        bytes.Slice(0, length).CopyTo(room);
        return room[..length];
    }

    private nint Receive(EpollWatchedConnection file, out bool isFull)
    {
        nint count = LibC.Receive(file.Connection.Descriptor, _scratchAt, ScratchSize, LibC.DontWait);
        isFull = count == ScratchSize;
        return count;
    }

    private CoapDatagram? CutPartial(EpollWatchedConnection file, FrameBuffer partial, out bool isBroken)
    {
        isBroken = false;
        if (partial.Length == 0 || partial.Length < file.Needed)
        {
            return null;
        }

        ReadOnlySequence<byte> bytes = partial.Bytes;
        Span<byte> room = stackalloc byte[HeadSize];
        long length = file.Context.MeasureFrame(file.Connection, HeadOf(bytes, room), partial.Length);
        if (length <= 0 || length > partial.Length)
        {
            isBroken = length < 0;
            file.Needed = Math.Max(length, 0);
            return null;
        }

        file.Needed = 0;
        ReadOnlySequence<byte> frame = bytes.Slice(0, length);
        CoapDatagram shown;
        if (frame.IsSingleSegment && MemoryMarshal.TryGetArray(frame.First, out ArraySegment<byte> array))
        {
            shown = Show(file.Connection, array.Array!, array.Offset, array.Count);
        }
        else
        {
            byte[] joined = ArrayPool<byte>.Shared.Rent((int)length);
            frame.CopyTo(joined);
            shown = Show(file.Connection, joined, 0, (int)length);
            if (_lent is not null)
            {
                _joined = joined;
            }
            else
            {
                ArrayPool<byte>.Shared.Return(joined);
            }
        }

        partial.Skip(length);
        return shown;
    }

    private CoapDatagram Show(LinuxTcpConnection connection, byte[] buffer, int offset, int length)
    {
        CoapDatagram frame = _view;
        if (_framesToCopy > 0)
        {
            _framesToCopy--;
            frame = length <= _copies.BufferSize ? _copies.Rent() : new CoapDatagram(length);
            buffer.AsSpan(offset, length).CopyTo(frame.Buffer);
            frame.Length = length;
        }
        else
        {
            frame.Show(buffer, offset, length);
            _lent = buffer;
        }

        frame.Remote = connection.Remote;
        frame.Local = connection.Local;
        frame.Transport = connection.Transport;
        frame.Channel = connection.Channel;
        return frame;
    }

    private FrameBuffer TakeRest()
    {
        FrameBuffer partial = _spares.TryPop(out FrameBuffer? spare) ? spare : new FrameBuffer();
        partial.Write(_source.AsSpan(_offset, _end - _offset));
        return partial;
    }

    private bool Keep(EpollWatchedConnection file, FrameBuffer partial, bool isHeld)
    {
        LinuxTcpConnection connection = file.Connection;
        partial.Trim();
        if (!TryCharge(file, partial.Charge))
        {
            Drop(file);
            connection.Close(ConnectionReaderMemoryCharge.RefusalOf(connection));
            return false;
        }

        if (!isHeld)
        {
            connection.ShowPartial(Math.Max(file.Needed, partial.Length), partial.Length);
            return false;
        }

        // Possibly complete frames; no timeout applies to those.
        file.Needed = 0;
        connection.ShowPartial(0, 0);
        return connection.DeferFrames();
    }

    private void RenewScratch()
    {
        _scratch = GC.AllocateUninitializedArray<byte>(ScratchSize, pinned: true);
        _scratchAt = (byte*)Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(_scratch));
    }
}
