using System.Runtime.InteropServices;
using CoAP.NET.Transports.Loops;
using CoAP.NET.Transports.Streams;

namespace CoAP.NET.Transports.Tcp;

/// <summary>A listening socket. It accepts connections without waiting, some at a time.</summary>
internal sealed class EpollWatchedListener : EpollWatchedDescriptor
{
    private const int AcceptedAtOnce = 64;
    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(100);

    private readonly LinuxTcpEngine _engine;
    private readonly EpollLoop _loop;
    private readonly RateLimitedLog _log;
    private ITimer? _timer;
    private bool _isPaused;

    public EpollWatchedListener(LinuxTcpEngine engine, EpollLoop loop, SocketHandle handle)
        : base(engine.LoopTransport)
    {
        _engine = engine;
        _loop = loop;
        _log = new RateLimitedLog(engine.Context.TimeProvider);
        Handle = handle;
        Local = TcpSockets.LocalOf(handle.Descriptor);
    }

    public SocketHandle Handle { get; }

    public CoapAddress Local { get; }

    /// <summary>Whether accepting is paused, because the process has no descriptor or memory. Thread-safe.</summary>
    public bool IsPaused => Volatile.Read(ref _isPaused);

    public override bool Serve(EpollLoop loop, ReceiveLoopOwnership role)
    {
        Events = 0;
        if (_engine.IsClosing)
        {
            return true;
        }

        for (int i = 0; i < AcceptedAtOnce; i++)
        {
            int descriptor = TcpSockets.Accept(Handle.Descriptor, out CoapAddress remote);
            if (descriptor >= 0)
            {
                if (FileDescriptorHeadroom.IsTouchedBy(descriptor))
                {
                    _ = LibC.CloseDescriptor(descriptor);
                    Pause(loop, LibC.EMFILE);
                    return true;
                }

                if (!Take(loop, role, new SocketHandle(descriptor), remote))
                {
                    return false;
                }

                continue;
            }

            switch (Marshal.GetLastPInvokeError())
            {
                case LibC.EAGAIN:
                    return true;
                case var error when LinuxErrors.IsShortage(error):
                    Pause(loop, error);
                    return true;
                case (LibC.EBADF or LibC.ENOTSOCK or LibC.EINVAL) and var error:
                    OnLost(error);
                    return true;
                default:
                    // This connection was reset while it waited; the next one may be fine.
                    break;
            }
        }

        loop.MakeReady(this);
        return true;
    }

    /// <summary>Continues after a pause.</summary>
    public override bool Attend(EpollLoop loop, ReceiveLoopOwnership role)
    {
        if (_isPaused && !_engine.IsClosing)
        {
            _isPaused = false;
            loop.Change(this, Handle, LibC.EpollIn);
        }

        return true;
    }

    public override int Check(EpollLoop loop) => _engine.IsClosing ? 0 : loop.Check(this, Handle, _isPaused ? 0 : LibC.EpollIn);

    public override void OnLost(int error)
    {
        Handle.SetHandleAsInvalid();
        Owner.Context.Fault(LostDescriptorErrors.Of($"listening on TCP {Local}", error));
    }

    public override void Detach(EpollLoop loop)
    {
        _timer?.Dispose();
        loop.Remove(this, Handle);
        Handle.Dispose();
    }

    /// <summary>Tries again, because there may be room now. Thread-safe.</summary>
    public void TryAgain() => _loop.Call(this);

    private bool Take(EpollLoop loop, ReceiveLoopOwnership role, SocketHandle handle, in CoapAddress remote)
    {
        if (!_engine.TryEnter())
        {
            handle.Dispose();
            return true;
        }

        EpollLoop of = _engine.LoopOf(remote);
        LinuxTcpConnection connection = new(_engine, of, handle, remote, Local.IsAny ? TcpSockets.LocalOf(handle.Descriptor) : Local,
            isInitiator: false);
        if (of == loop)
        {
            return loop.Tcp.Attend(role, connection.File);
        }

        of.Call(connection.File);
        return true;
    }

    private void Pause(EpollLoop loop, int error)
    {
        Owner.Context.Counters.Add(CoapCounter.AcceptFailures);
        if (_log.IsDue())
        {
            TcpLog.AcceptFailed(Owner.Context.Logger, Local, LinuxErrors.ToException(error).Message);
        }

        _isPaused = true;
        loop.Change(this, Handle, 0);
        _timer ??= Owner.Context.TimeProvider.CreateTimer(
            static state => ((EpollWatchedListener)state!).TryAgain(), this, Timeout.InfiniteTimeSpan,
            Timeout.InfiniteTimeSpan);
        _timer.Change(s_pause, Timeout.InfiniteTimeSpan);
    }
}
