using System.Buffers;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace CoAP.NET.Transports;

/// <summary>
/// What a loop does with TCP connections: one read without waiting for each turn, every frame of it run to completion, and one send for all that came out of it.
/// All state below belongs to the thread that holds the role, and is at any call into the pipeline such that another thread can go on with it.
/// </summary>
internal sealed unsafe partial class TcpReceiver
{
    private const int ScratchSize = 64 * 1024;

    // One read may hold ten thousand small frames; the others have their turn in between.
    private const int FramesAtOnce = 256;

    private readonly EpollLoop _loop;

    // What is read of a connection that has nothing left over goes here, so that idle ones hold no memory.
    private byte[] _scratch = [];
    private byte* _scratchAt;

    // The connection whose frames are being handed in; its answers are collected.
    private LinuxTcpConnection? _serving;
    private byte[]? _source;
    private int _offset;
    private int _end;

    // The connection whose end is being told.
    private LinuxTcpConnection? _ending;

    public TcpReceiver(EpollLoop loop)
    {
        _loop = loop;
        RenewScratch();
    }

    /// <summary>A connection has its turn.</summary>
    /// <returns>False when the thread has lost the role.</returns>
    public bool Serve(ReceiveRole role, ConnectionFile file)
    {
        LinuxTcpConnection connection = file.Connection;
        uint events = file.Events;
        file.Events = 0;
        file.IsEndNear |= (events & (LibC.EpollReadHangUp | LibC.EpollHangUp | LibC.EpollError)) != 0;
        if (connection.IsClosing)
        {
            // Whoever closed it called for attention.
            return true;
        }

        if ((events & LibC.EpollOut) != 0)
        {
            connection.SendWaiting();
            if (events == LibC.EpollOut)
            {
                return true;
            }
        }

        bool discards = connection.IsEnding || file.IsDiscarding;
        if (file.HasEnded || (connection.IsPaused && !discards))
        {
            if ((events & (LibC.EpollError | LibC.EpollHangUp)) != 0)
            {
                connection.Fail(TcpSockets.ErrorOf(connection.Descriptor));
            }
            else if (!connection.TryStopWatchingReads(file.HasEnded))
            {
                _loop.MakeReady(file);
            }

            return true;
        }

        return discards ? Discard(file) : Read(role, file);
    }

    /// <summary>Goes on with what the thread did that had the role before.</summary>
    /// <returns>False when the thread has lost the role.</returns>
    public bool Continue(ReceiveRole role)
    {
        if (_ending is { } ending)
        {
            _ending = null;
            ending.Engine.Leave();
        }

        if (_serving is not { } connection)
        {
            return true;
        }

        // What would have followed a call that was not about a frame.
        _loop.Call(connection.File);
        TakeBack();
        return HandIn(role);
    }

    private bool Read(ReceiveRole role, ConnectionFile file)
    {
        LinuxTcpConnection connection = file.Connection;
        if (file.Partial is not null && connection.TakeHeldBack())
        {
            // What was read before comes first; also before the peer's end, which may be all that is left to read.
            _loop.MakeReady(file);
            BeginServing(connection);
            return HandIn(role);
        }

        nint count;
        int capacity;
        if (file.Partial is { } partial)
        {
            Memory<byte> memory = partial.GetMemory();
            capacity = memory.Length;
            fixed (byte* at = memory.Span)
            {
                count = LibC.Receive(connection.Descriptor, at, (nuint)capacity, LibC.DontWait);
            }
        }
        else
        {
            capacity = ScratchSize;
            count = LibC.Receive(connection.Descriptor, _scratchAt, ScratchSize, LibC.DontWait);
        }

        if (count > 0)
        {
            if (count == capacity || file.IsEndNear)
            {
                // There may be more, after the others had their turn; or the end, of which the kernel does not tell twice.
                _loop.MakeReady(file);
            }

            if (file.Partial is { } filled)
            {
                filled.Advance((int)count);
            }
            else
            {
                _source = _scratch;
                _offset = 0;
                _end = (int)count;
            }

            _serving = connection;
            _loop.BeginSharingTime(file.Owner);
            return HandIn(role);
        }

        if (count == 0)
        {
            return EndReading(role, file);
        }

        file.Partial?.GiveRoomBack();
        return OnReadFailed(file, (int)-count);
    }

    /// <summary>Hands in the frames that are there, one after another, then sends what came out of them.</summary>
    private bool HandIn(ReceiveRole role)
    {
        LinuxTcpConnection connection = _serving!;
        ConnectionFile file = connection.File;
        CoapTransportContext context = file.Owner.Context;
        bool isHeld = false;
        int left = FramesAtOnce;
        while (!connection.IsClosing && !connection.IsEnding && !file.IsDiscarding)
        {
            // Looked at once: whoever ends the pause after this finds what is held back.
            if (isHeld = connection.IsPaused)
            {
                break;
            }

            if (left-- == 0)
            {
                left = FramesAtOnce;
                if (isHeld = TrySetAside(file))
                {
                    break;
                }
            }

            CoapDatagram? frame = Cut(file, out bool isBroken);
            if (frame is null)
            {
                if (isBroken)
                {
                    // The call that said so has also aborted the connection.
                    if (!role.Settle())
                    {
                        return false;
                    }

                    file.IsDiscarding = true;
                }

                break;
            }

            connection.CountFrame();
            context.Receive(frame);
            if (!role.Settle())
            {
                return false;
            }

            TakeBack();
            if (_loop.HasBeenLong)
            {
                // The frames of one read have one time, unless a handler took its own.
                StageTime.Forget();
                if (!_loop.Flush(role))
                {
                    return false;
                }
            }
        }

        KeepRest(file, isHeld);
        return EndServing(role);
    }

    private bool EndServing(ReceiveRole role)
    {
        Flush();
        _serving = null;
        return _loop.Flush(role);
    }

    private bool EndReading(ReceiveRole role, ConnectionFile file)
    {
        LinuxTcpConnection connection = file.Connection;
        file.HasEnded = true;
        Drop(file);
        connection.TryStopWatchingReads(forGood: true);
        BeginServing(connection);
        file.Owner.Context.ReceiveEnded(connection);
        return role.Settle() && EndServing(role);
    }

    private bool OnReadFailed(ConnectionFile file, int error)
    {
        if (error == LibC.EINTR)
        {
            _loop.MakeReady(file);
        }
        else if (error != LibC.EAGAIN)
        {
            file.Connection.Fail(error);
        }

        return true;
    }

    /// <summary>Reads what means nothing any more, so that closing does not destroy our last frame on its way.</summary>
    private bool Discard(ConnectionFile file)
    {
        Drop(file);
        LinuxTcpConnection connection = file.Connection;
        nint count = LibC.Receive(connection.Descriptor, _scratchAt, ScratchSize, LibC.DontWait);
        if (count == 0)
        {
            file.HasEnded = true;
            connection.TryStopWatchingReads(forGood: true);
            _loop.Call(file);
            return true;
        }

        if (count == ScratchSize || (count > 0 && file.IsEndNear))
        {
            _loop.MakeReady(file);
        }

        return count > 0 || OnReadFailed(file, (int)-count);
    }

    private void BeginServing(LinuxTcpConnection connection)
    {
        _serving = connection;
        _loop.Begin(connection.File.Owner);
    }

    private void RenewScratch()
    {
        _scratch = GC.AllocateUninitializedArray<byte>(ScratchSize, pinned: true);
        _scratchAt = (byte*)Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(_scratch));
    }
}
