namespace CoAP.NET.Transports;

/// <summary>The beginning and the end of connections.</summary>
internal sealed unsafe partial class TcpReceiver
{
    private const int ReadsBeforeClose = 16;

    /// <summary>Something about a connection has changed.</summary>
    /// <returns>False when the thread has lost the role.</returns>
    public bool Attend(ReceiveRole role, ConnectionFile file)
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
            connection.Close(ConnectFailure.Stopped(connection.Remote));
        }
        else if (!connection.IsClosing && !connection.TryWatch())
        {
            connection.Close(new CoapConnectionException(CoapConnectionError.Refused, "The operating system does not watch the connection; the limit of epoll watches may be reached."));
        }

        if (connection.IsClosing || (connection.IsShut && file.HasEnded))
        {
            return Finish(role, file);
        }

        if (connection.IsShut)
        {
            // The peer's end is waited for, a little: closing while something comes in would reset the connection and with it our last frame.
            file.Linger ??= file.Owner.Context.TimeProvider.CreateTimer(
                static state => ((LinuxTcpConnection)state!).Close(null), connection, connection.Engine.Options.Streams.ReleaseTimeout, Timeout.InfiniteTimeSpan);
        }

        if (connection.TakeWritable())
        {
            BeginServing(connection);
            file.Owner.Context.Writable(connection);
            if (!role.Settle() || !EndServing(role))
            {
                return false;
            }
        }

        return ReadOn(role, file);
    }

    private bool ReadOn(ReceiveRole role, ConnectionFile file)
    {
        LinuxTcpConnection connection = file.Connection;
        if (file.HasEnded || connection.IsClosing || (connection.IsPaused && !connection.IsEnding))
        {
            return true;
        }

        connection.WatchReads();
        if (!connection.TakeHeldBack() || file.Partial is null)
        {
            return true;
        }

        BeginServing(connection);
        return HandIn(role);
    }

    /// <summary>Tells the mesh of a connection.</summary>
    /// <returns>False when the thread has lost the role; it has then seen to it that another goes on.</returns>
    private bool Open(ReceiveRole role, ConnectionFile file)
    {
        LinuxTcpConnection connection = file.Connection;
        file.IsOpening = true;
        bool isOpen = false;
        if (!connection.Engine.IsClosing)
        {
            _loop.Begin(file.Owner);
            isOpen = file.Owner.Context.Opened(connection);
        }

        if (!isOpen)
        {
            connection.TryFinish(out _);
            connection.Engine.Leave();
        }

        file.IsOpen = isOpen;
        file.IsOpening = false;
        file.Opened?.Invoke(isOpen);
        if (role.Settle())
        {
            return true;
        }

        // Whoever has the role now goes on with it.
        _loop.Call(file);
        return false;
    }

    private bool Finish(ReceiveRole role, ConnectionFile file)
    {
        LinuxTcpConnection connection = file.Connection;
        Drop(file);
        file.Linger?.Dispose();
        if (connection.IsOrderly)
        {
            Drain(connection.Descriptor);
        }

        if (!connection.TryFinish(out Exception? error))
        {
            return true;
        }

        _loop.Begin(file.Owner);
        _ending = connection;
        file.Owner.Context.Closed(connection, error);
        if (!role.Settle())
        {
            return false;
        }

        _ending = null;
        connection.Engine.Leave();
        return _loop.Flush(role);
    }

    // What came in and was not read would have the kernel reset the connection.
    private void Drain(int descriptor)
    {
        for (int i = 0; i < ReadsBeforeClose && LibC.Receive(descriptor, _scratchAt, ScratchSize, LibC.DontWait) > 0; i++)
        {
        }
    }
}
