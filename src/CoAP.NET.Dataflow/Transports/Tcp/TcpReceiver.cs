using CoAP.NET.Transports.Loops;
using CoAP.NET.Transports.Streams;

namespace CoAP.NET.Transports.Tcp;

/// <summary>
/// Handles the TCP connections of a loop: one non-blocking read per turn, every frame of it processed to completion, and one send for all
/// results. All state below belongs to the thread that runs the loop, and at any call into the pipeline another thread can continue with
/// it.
/// </summary>
internal sealed class TcpReceiver
{
    // One read may contain ten thousand small frames; other connections have their turn in between.
    private const int FramesAtOnce = 256;

    private readonly EpollLoop _loop;

    private readonly TcpInput _input = new();
    private readonly FrameSplitter _frames = new();
    private readonly TcpSendBatch _collector;

    // The connection whose end is being reported.
    private LinuxTcpConnection? _ending;

    public TcpReceiver(EpollLoop loop)
    {
        _loop = loop;
        _collector = new TcpSendBatch(loop);
    }

    /// <summary>Serves a connection's turn.</summary>
    /// <returns>False when the thread has lost the role.</returns>
    public bool Serve(ReceiveLoopOwnership role, EpollWatchedConnection file)
    {
        LinuxTcpConnection connection = file.Connection;
        uint events = file.Events;
        file.Events = 0;
        file.IsEndNear |= (events & (LibC.EpollReadHangUp | LibC.EpollHangUp | LibC.EpollError)) != 0;
        if (connection.IsClosing)
        {
            // The code that closed it called for attention.
            return true;
        }

        if ((events & LibC.EpollOut) != 0)
        {
            connection.Sender.SendWaiting();
            if (events == LibC.EpollOut)
            {
                return true;
            }
        }

        bool discards = connection.Sender.IsEnding || file.IsDiscarding;
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

    /// <summary>Continues the work of the thread that had the role before.</summary>
    /// <returns>False when the thread has lost the role.</returns>
    public bool Continue(ReceiveLoopOwnership role)
    {
        if (_ending is { } ending)
        {
            _ending = null;
            ending.Engine.Leave();
        }

        if (_collector.Serving is not { } connection)
        {
            return true;
        }

        // Does what would have followed a call that was not about a frame.
        _loop.Call(connection.File);
        _frames.TakeBack(_input.Of(connection.File));
        return HandIn(role);
    }

    /// <summary>Handles a changed state of a connection.</summary>
    /// <returns>False when the thread has lost the role.</returns>
    public bool Attend(ReceiveLoopOwnership role, EpollWatchedConnection file)
    {
        LinuxTcpConnection connection = file.Connection;
        if (connection.IsFinished || file.IsOpening)
        {
            return true;
        }

        if (!file.IsOpen && !Open(role, file))
        {
            return false;
        }

        if (!file.IsOpen)
        {
            return true;
        }

        if (connection.Engine.IsClosing)
        {
            connection.Close(ConnectFailureMessage.Stopped(connection.Remote));
        }
        else if (!connection.IsClosing && !connection.TryWatch())
        {
            connection.Close(new CoapConnectionException(
                CoapError.Refused,
                "The operating system refuses to watch the connection; the limit of epoll watches may be reached."));
        }

        if (connection.IsClosing || (connection.Sender.IsShut && file.HasEnded))
        {
            return Finish(role, file);
        }

        if (connection.Sender.IsShut)
        {
            // Waits briefly for the peer's end: closing while input arrives would reset the connection and lose the last frame.
            file.Linger ??= file.Owner.Context.TimeProvider.CreateTimer(
                static state => ((LinuxTcpConnection)state!).Close(null),
                connection,
                connection.Engine.Options.Streams.ReleaseTimeout,
                Timeout.InfiniteTimeSpan);
        }

        if (connection.Sender.TakeWritable())
        {
            BeginServing(connection);
            file.Context.CongestionEnded(connection);
            if (!role.ExitAll() || !EndServing(role))
            {
                return false;
            }
        }

        return ReadOn(role, file);
    }

    /// <summary>Adds a frame to those sent at the end of the turn, and takes it over.</summary>
    /// <returns>False when it must be sent separately, now: all earlier frames were sent, or wait.</returns>
    public bool TryCollect(LinuxTcpConnection connection, CoapDatagram frame) => _collector.TryCollect(connection, frame);

    public void Flush() => _collector.Flush();

    private bool Read(ReceiveLoopOwnership role, EpollWatchedConnection file)
    {
        LinuxTcpConnection connection = file.Connection;
        if (file.Rest is not null && connection.TakeDeferredFrames())
        {
            // Earlier input comes first; also before the peer's end, which may be all that is left to read.
            _loop.MakeReady(file);
            BeginServing(connection);
            return HandIn(role);
        }

        nint count = _input.Read(file, out bool isFull);
        if (count <= 0)
        {
            return count == 0 ? EndReading(role, file) : OnReadFailed(file, (int)-count);
        }

        if (isFull || file.IsEndNear)
        {
            // There may be more input, after the others had their turn; or the end, which the kernel reports only once.
            _loop.MakeReady(file);
        }

        _collector.Serving = connection;
        _loop.Begin(file.Owner);
        return HandIn(role);
    }

    /// <summary>Hands in the complete frames one after another, then sends the results.</summary>
    private bool HandIn(ReceiveLoopOwnership role)
    {
        LinuxTcpConnection connection = _collector.Serving!;
        EpollWatchedConnection file = connection.File;
        ICoapStreamTransportContext context = file.Context;
        FrameBuffer input = _input.Of(file);
        bool isHeld = false;
        int left = FramesAtOnce;

        // The frames of one read share one time, unless a handler took its own.
        long now = 0;
        while (!connection.IsClosing && !connection.Sender.IsEnding && !file.IsDiscarding)
        {
            // Checked once: the end of a later pause finds the held-back frames.
            if (isHeld = connection.IsPaused)
            {
                break;
            }

            if (left-- == 0)
            {
                left = FramesAtOnce;
                if (isHeld = _input.TrySetAside(file))
                {
                    break;
                }
            }

            CoapDatagram? frame = _frames.Next(connection, context, input, out bool isBroken);
            if (frame is null)
            {
                if (isBroken)
                {
                    // The failing call has also aborted the connection.
                    if (!role.ExitAll())
                    {
                        return false;
                    }

                    file.IsDiscarding = true;
                }

                break;
            }

            connection.CountFrame();
            now = now != 0 ? now : CoapEnvironment.ReadClock(context.TimeProvider);
            frame.ReceivedAt = now;
            context.Receive(frame);
            if (!role.ExitAll())
            {
                return false;
            }

            _frames.TakeBack(input);
            if (_loop.HasBeenLong)
            {
                now = 0;
                if (!_loop.Flush(role))
                {
                    return false;
                }
            }
        }

        if (_input.KeepRest(file, isHeld))
        {
            _loop.MakeReady(file);
        }

        return EndServing(role);
    }

    private bool EndServing(ReceiveLoopOwnership role)
    {
        _collector.Flush();
        _collector.Serving = null;
        return _loop.Flush(role);
    }

    private bool EndReading(ReceiveLoopOwnership role, EpollWatchedConnection file)
    {
        LinuxTcpConnection connection = file.Connection;
        file.HasEnded = true;
        _input.Drop(file);
        connection.TryStopWatchingReads(forGood: true);
        BeginServing(connection);
        file.Context.ReceiveEnded(connection);
        return role.ExitAll() && EndServing(role);
    }

    private bool OnReadFailed(EpollWatchedConnection file, int error)
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

    /// <summary>Reads and discards input, so that closing does not destroy the last frame in transit.</summary>
    private bool Discard(EpollWatchedConnection file)
    {
        _input.Drop(file);
        LinuxTcpConnection connection = file.Connection;
        nint count = TcpInput.ReadNothing(file, out bool isFull);
        if (count == 0)
        {
            file.HasEnded = true;
            connection.TryStopWatchingReads(forGood: true);
            _loop.Call(file);
            return true;
        }

        if (isFull || (count > 0 && file.IsEndNear))
        {
            _loop.MakeReady(file);
        }

        return count > 0 || OnReadFailed(file, (int)-count);
    }

    private void BeginServing(LinuxTcpConnection connection)
    {
        _collector.Serving = connection;
        _loop.Begin(connection.File.Owner);
    }

    private bool ReadOn(ReceiveLoopOwnership role, EpollWatchedConnection file)
    {
        LinuxTcpConnection connection = file.Connection;
        if (file.HasEnded || connection.IsClosing || (connection.IsPaused && !connection.Sender.IsEnding))
        {
            return true;
        }

        connection.WatchReads();
        if (!connection.TakeDeferredFrames() || file.Rest is null)
        {
            return true;
        }

        BeginServing(connection);
        return HandIn(role);
    }

    /// <summary>Reports a connection to the mesh.</summary>
    /// <returns>False when the thread has lost the role; it has then scheduled another one to continue.</returns>
    private bool Open(ReceiveLoopOwnership role, EpollWatchedConnection file)
    {
        LinuxTcpConnection connection = file.Connection;
        file.IsOpening = true;
        bool isOpen = false;
        if (!connection.Engine.IsClosing)
        {
            _loop.Begin(file.Owner);
            isOpen = file.Context.Opened(connection);
        }

        if (!isOpen)
        {
            connection.TryFinish(out _);
            connection.Engine.Leave();
        }

        file.IsOpen = isOpen;
        file.IsOpening = false;
        file.Opener?.OnOpened(connection, isOpen);
        if (role.ExitAll())
        {
            return true;
        }

        // The current holder of the role continues with it.
        _loop.Call(file);
        return false;
    }

    private bool Finish(ReceiveLoopOwnership role, EpollWatchedConnection file)
    {
        LinuxTcpConnection connection = file.Connection;
        _input.Drop(file);
        file.Linger?.Dispose();
        if (connection.IsOrderly)
        {
            TcpInput.Drain(connection.Descriptor);
        }

        if (!connection.TryFinish(out Exception? error))
        {
            return true;
        }

        _loop.Begin(file.Owner);
        _ending = connection;
        file.Context.Closed(connection, error);
        if (!role.ExitAll())
        {
            return false;
        }

        _ending = null;
        connection.Engine.Leave();
        return _loop.Flush(role);
    }
}
