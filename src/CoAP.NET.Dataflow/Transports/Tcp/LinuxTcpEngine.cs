using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using CoAP.NET.Errors;
using CoAP.NET.Transports.Loops;
using CoAP.NET.Transports.Streams;

namespace CoAP.NET.Transports.Tcp;

/// <summary>TCP on the loops of the shards: they accept, read, process to completion and send without switching threads.</summary>
internal sealed class LinuxTcpEngine : TcpEngine
{
    private readonly TransportLoops _loops;
    private EpollWatchedListener[] _listeners = [];

    // Connections and attempts that use the loops.
    private readonly OpenConnectionCountdown _members = new();
    private bool _isClosing;

    public LinuxTcpEngine(CoapTcpTransport transport, ICoapStreamTransportContext context, CoapTcpTransportOptions options)
        : base(transport, context, options) =>
        _loops = new TransportLoops(context, options.HandOverAfter, options.Endpoints.Count > 0);

    public override CoapSocketEngine Kind => CoapSocketEngine.LinuxLoop;

    public override bool DrivesClock => _loops.DrivesClock;

    public EpollTransportContext LoopTransport => _loops.Owner;

    /// <summary>Whether it closes: nothing new begins.</summary>
    public bool IsClosing => Volatile.Read(ref _isClosing);

    public EpollLoop LoopOf(in CoapAddress remote) => _loops.Of(remote);

    public override async Task StartAsync()
    {
        List<SocketHandle> bound = [];
        try
        {
            foreach (IPEndPoint endpoint in Options.Endpoints)
            {
                bound.Add(TcpSockets.Listen(endpoint, Options));
            }

            _loops.Start();
        }
        catch
        {
            bound.ForEach(static handle => handle.Dispose());
            throw;
        }

        // Accepting is little work: several addresses are distributed over the loops, a single one is not.
        _listeners = [.. bound.Select((handle, i) => new EpollWatchedListener(this, _loops.All[i % _loops.All.Length], handle))];
        LocalAddresses = [.. _listeners.Select(static listener => listener.Local)];
        for (int i = 0; i < _loops.All.Length; i++)
        {
            await _loops.AttachAsync(
                i, [.. _listeners.Where((_, k) => k % _loops.All.Length == i)
                    .Select(static listener => ((EpollWatchedDescriptor)listener, (SafeHandle)listener.Handle))]).ConfigureAwait(false);
        }

        foreach (EpollWatchedListener listener in _listeners)
        {
            TcpLog.TcpBound(Context.Logger, listener.Local, Kind, useTls: false);
        }
    }

    public override async ValueTask<CoapConnection> ConnectAsync(CoapAddress remote, IPAddress? local, string? serverName,
        CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        try
        {
            ConnectingDescriptor attempt = Begin(remote, local);
            TimeSpan limit = Options.Streams.ConnectTimeout;
            using CancellationTokenSource timeout = new(limit, Context.TimeProvider);
            using CancellationTokenRegistration late =
                timeout.Token.UnsafeRegister(_ => attempt.GiveUp(ConnectFailureMessage.TimedOut(remote, limit)), null);
            using CancellationTokenRegistration cancelled =
                cancellationToken.UnsafeRegister(_ => attempt.GiveUp(new OperationCanceledException(cancellationToken)), null);
            return await attempt.Result.ConfigureAwait(false);
        }
        catch (CoapConnectionException exception) when (exception.Error == CoapError.ConnectFailed)
        {
            Context.Counters.Add(CoapCounter.ConnectionsFailed);
            throw;
        }
    }

    // There is only one step.
    public override CoapConnectProgress? ProgressOf(CoapAddress remote, string? serverName) => null;

    public override void Wake() => _loops.Wake();

    /// <summary>Counts a connection or an attempt, so the loops run as long as it exists.</summary>
    /// <returns>False when the transport closes.</returns>
    public bool TryEnter()
    {
        _members.Enter();
        if (!IsClosing)
        {
            return true;
        }

        Leave();
        return false;
    }

    /// <summary>Stops counting a connection or an attempt.</summary>
    public void Leave()
    {
        _members.Leave();

        foreach (EpollWatchedListener listener in _listeners)
        {
            if (listener.IsPaused)
            {
                listener.TryAgain();
            }
        }
    }

    protected override async Task CloseAsync()
    {
        Volatile.Write(ref _isClosing, true);
        Interlocked.MemoryBarrier();
        await _loops.DetachAsync().ConfigureAwait(false);
        Leave();
        await _members.Gone.ConfigureAwait(false);
        _loops.Release();
        foreach (EpollWatchedListener listener in _listeners)
        {
            // A descriptor that no loop attached, because the start failed.
            listener.Handle.Dispose();
        }
    }

    private ConnectingDescriptor Begin(in CoapAddress remote, IPAddress? local)
    {
        if (!TryEnter())
        {
            throw ConnectFailureMessage.Stopped(remote);
        }

        try
        {
            ConnectingDescriptor attempt = new(this, LoopOf(remote), TcpSockets.Connect(remote, local), remote);
            LoopOf(remote).Call(attempt);
            return attempt;
        }
        catch (SocketException exception)
        {
            Leave();
            throw ConnectFailureMessage.Of(remote, exception);
        }
    }
}
