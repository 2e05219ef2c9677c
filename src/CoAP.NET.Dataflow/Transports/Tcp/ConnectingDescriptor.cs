using System.Net.Sockets;
using CoAP.NET.Transports.Loops;
using CoAP.NET.Transports.Streams;

namespace CoAP.NET.Transports.Tcp;

/// <summary>A connection that this end is opening.</summary>
internal sealed class ConnectingDescriptor : EpollWatchedDescriptor
{
    private readonly TaskCompletionSource<CoapConnection> _result = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly LinuxTcpEngine _engine;
    private readonly EpollLoop _loop;
    private readonly SocketHandle _handle;
    private readonly CoapAddress _remote;
    private int _isDecided;
    private bool _isWatched;
    private bool _isReleased;

    public ConnectingDescriptor(LinuxTcpEngine engine, EpollLoop loop, SocketHandle handle, in CoapAddress remote)
        : base(engine.LoopTransport)
    {
        _engine = engine;
        _loop = loop;
        _handle = handle;
        _remote = remote;
    }

    /// <summary>The connection, or the error.</summary>
    public Task<CoapConnection> Result => _result.Task;

    /// <summary>Gives up the attempt, unless it has ended. Thread-safe.</summary>
    public void GiveUp(Exception reason)
    {
        if (TryDecide())
        {
            _result.TrySetException(reason);
            _loop.Call(this);
        }
    }

    public override bool Attend(EpollLoop loop, ReceiveLoopOwnership role)
    {
        if (Volatile.Read(ref _isDecided) != 0)
        {
            // If it was connected, the connection owns the descriptor.
            if (_result.Task.IsFaulted)
            {
                Release(loop);
            }
        }
        else if (_engine.IsClosing)
        {
            GiveUp(ConnectFailureMessage.Stopped(_remote));
        }
        else if (!_isWatched && !(_isWatched = loop.TryAdd(this, _handle, LibC.EpollOut)))
        {
            GiveUp(ConnectFailureMessage.Of(_remote, new SocketException((int)SocketError.NoBufferSpaceAvailable)));
        }

        return true;
    }

    public override bool Serve(EpollLoop loop, ReceiveLoopOwnership role)
    {
        Events = 0;
        if (!TryDecide())
        {
            // Given up; the loop will attend to it.
            return true;
        }

        if (TcpSockets.ConnectFailureOf(_handle.Descriptor, _remote, out CoapAddress local) is { } reason)
        {
            _result.TrySetException(ConnectFailureMessage.Of(_remote, reason));
            Release(loop);
            return true;
        }

        loop.Remove(this, _handle);
        _isReleased = true;
        LinuxTcpConnection connection = new(_engine, loop, _handle, _remote, local, isInitiator: true);
        connection.File.Opener = this;
        return loop.Tcp.Attend(role, connection.File);
    }

    /// <summary>Handles the decision of the mesh about the connection.</summary>
    public void OnOpened(LinuxTcpConnection connection, bool isOpen)
    {
        if (isOpen)
        {
            _result.TrySetResult(connection);
        }
        else
        {
            _result.TrySetException(ConnectFailureMessage.Refused(_remote));
        }
    }

    public override void Detach(EpollLoop loop) => GiveUp(ConnectFailureMessage.Stopped(_remote));

    private bool TryDecide() => Interlocked.Exchange(ref _isDecided, 1) == 0;

    private void Release(EpollLoop loop)
    {
        if (_isReleased)
        {
            return;
        }

        _isReleased = true;
        if (_isWatched)
        {
            loop.Remove(this, _handle);
        }

        _handle.Dispose();
        _engine.Leave();
    }
}
