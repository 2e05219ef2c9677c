using System.Net;
using System.Net.Sockets;
using CoAP.NET.Channels;

namespace CoAP.NET.Transports;

/// <summary>
/// TCP by the platform's asynchronous sockets, and TLS over them: a loop that accepts for each listening socket, one that reads for each connection, one that writes where
/// something waits. None of them owns a thread.
/// </summary>
internal sealed partial class AsyncTcpEngine : TcpEngine
{
    private const int MaxLingering = 1000;
    private static readonly TimeSpan s_acceptPause = TimeSpan.FromMilliseconds(100);

    private readonly Lock _gate = new();
    private readonly List<Socket> _listeners = [];
    private readonly HashSet<AsyncConnection> _connections = [];
    private readonly Dictionary<AsyncConnection, ITimer> _lingering = [];
    private readonly CancellationTokenSource _stopping = new();
    private readonly TlsSettings? _tls;

    // Handshakes under way that peers began. Its own lock.
    private readonly SourceCounts _handshakes;
    private Task _accepting = Task.CompletedTask;
    private bool _isClosing;
    private int _inUserCode;

    // The connections whose end was not told yet, and the engine itself.
    private readonly MemberCount _members = new();

    public AsyncTcpEngine(CoapTcpTransport transport, CoapTransportContext context, CoapTcpTransportOptions options)
        : base(transport, context, options)
    {
        LateOutput = new LateOutput(context.TimeProvider);
        _handshakes = new SourceCounts(context.Limits.MaxHandshakesPerAddress, context.Limits.MaxHandshakes);
        _tls = options.UseTls ? new TlsSettings(options.Tls ?? new CoapTlsOptions()) : null;
    }

    public override CoapTcpEngine Kind => CoapTcpEngine.Async;

    public LateOutput LateOutput { get; }

    /// <summary>Whether as many threads are in user code as there are processors, so that some of them wait for something.</summary>
    public bool IsPoolTaken => Volatile.Read(ref _inUserCode) >= Environment.ProcessorCount;

    /// <summary>How many handshakes are under way that peers began.</summary>
    public int Handshakes
    {
        get
        {
            lock (_handshakes)
            {
                return _handshakes.Total;
            }
        }
    }

    /// <summary>How connections are accepted. Tests let it fail as a system does that has no file descriptor left.</summary>
    internal Func<Socket, CancellationToken, ValueTask<Socket>> Accepting { get; init; } = static (listener, cancellationToken) => listener.AcceptAsync(cancellationToken);

    public static CoapAddress LocalAddressOf(Socket socket) => CoapAddress.FromIPEndPoint((IPEndPoint)socket.LocalEndPoint!);

    public override Task StartAsync()
    {
        List<CoapAddress> addresses = [];
        foreach (IPEndPoint endpoint in Options.Endpoints)
        {
            Socket listener = Listen(endpoint);
            lock (_gate)
            {
                _listeners.Add(listener);
            }

            addresses.Add(LocalAddressOf(listener));
            Log.TcpBound(Context.Logger, addresses[^1], Kind, Options.UseTls);
        }

        LocalAddresses = addresses;
        _accepting = Task.WhenAll(_listeners.Select(AcceptAsync));
        return Task.CompletedTask;
    }

    public void UserCodeBegins() => Interlocked.Increment(ref _inUserCode);

    public void UserCodeEnds() => Interlocked.Decrement(ref _inUserCode);

    /// <summary>Lets a connection whose side of ours was ended in order wait for the peer's end, for a while.</summary>
    /// <returns>False when there are too many of them; then it is closed at once.</returns>
    public bool TryLinger(AsyncConnection connection)
    {
        lock (_gate)
        {
            if (_isClosing || _lingering.Count >= MaxLingering)
            {
                return false;
            }

            _lingering.Add(connection, Context.TimeProvider.CreateTimer(
                static state => ((AsyncConnection)state!).EndLingering(), connection, Options.Streams.ReleaseTimeout, Timeout.InfiniteTimeSpan));
            return true;
        }
    }

    /// <summary>Counts out a connection whose end was told, or of which nothing was told.</summary>
    public void Leave() => _members.Leave();

    /// <summary>A connection is gone.</summary>
    public void Forget(AsyncConnection connection)
    {
        ITimer? timer;
        lock (_gate)
        {
            _connections.Remove(connection);
            _lingering.Remove(connection, out timer);
        }

        timer?.Dispose();
    }

    protected override async Task CloseAsync()
    {
        AsyncConnection[] connections;
        lock (_gate)
        {
            _isClosing = true;
            connections = [.. _connections];
            foreach (Socket listener in _listeners)
            {
                listener.Dispose();
            }
        }

        await _stopping.CancelAsync().ConfigureAwait(false);

        // From here on none of them hands anything in, whatever its thread is at.
        foreach (AsyncConnection connection in connections)
        {
            connection.Close(null);
        }

        LateOutput.Dispose();
        await _accepting.ConfigureAwait(false);
        Leave();
        await _members.Gone.ConfigureAwait(false);
    }

    private Socket Listen(IPEndPoint endpoint)
    {
        Socket? socket = null;
        try
        {
            socket = new Socket(endpoint.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
            if (endpoint.AddressFamily == AddressFamily.InterNetworkV6)
            {
                socket.DualMode = Options.DualMode && endpoint.Address.Equals(IPAddress.IPv6Any) && Socket.OSSupportsIPv4;
            }

            socket.Bind(endpoint);
            socket.Listen(Options.Backlog);
            return socket;
        }
        catch (SocketException exception)
        {
            socket?.Dispose();
            throw new CoapBindException("TCP", endpoint, exception);
        }
    }

    private async Task AcceptAsync(Socket listener)
    {
        CoapAddress address = LocalAddressOf(listener);
        bool isLogged = false;
        while (!_stopping.IsCancellationRequested)
        {
            try
            {
                Socket socket = await Accepting(listener, _stopping.Token).ConfigureAwait(false);
                isLogged = false;
                _ = ServeAsync(socket);
            }
            catch (Exception exception) when (exception is OperationCanceledException or ObjectDisposedException)
            {
                // Only the end of the engine closes the socket; the loop's condition sees it.
            }
            catch (SocketException exception) when (exception.SocketErrorCode is SocketError.ConnectionAborted or SocketError.ConnectionReset or SocketError.Interrupted)
            {
                // The peer was gone before it was its turn.
            }
#pragma warning disable CA1031 // a server that is up and deaf is worse than anything that can be thrown here
            catch (Exception exception)
#pragma warning restore CA1031
            {
                if (!isLogged && !_stopping.IsCancellationRequested)
                {
                    isLogged = true;
                    Report((address, exception.Message), static (engine, failed) => Log.AcceptFailed(engine.Context.Logger, failed.address, failed.Message));
                }

                await PauseAsync().ConfigureAwait(false);
            }
        }
    }

    // A logger is foreign code: when it throws, everything goes on.
    private void Report<T>(T what, Action<AsyncTcpEngine, T> log)
    {
        try
        {
            log(this, what);
        }
#pragma warning disable CA1031
        catch (Exception)
#pragma warning restore CA1031
        {
            Context.Counters.Add(CoapCounter.StageErrors);
        }
    }

    private async Task PauseAsync()
    {
        try
        {
            await Task.Delay(s_acceptPause, Context.TimeProvider, _stopping.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            // The engine closes.
        }
    }

    private async Task ServeAsync(Socket socket)
    {
        // What follows may run user code, and the handshake takes its time: the next connection does not wait for it.
        await default(PoolTurn);
        try
        {
            socket.NoDelay = true;
            CoapAddress remote = RemoteAddressOf(socket);
            AsyncConnection? connection = _tls is null
                ? new AsyncConnection(this, socket, new NetworkStream(socket, ownsSocket: true), remote, isInitiator: false)
                : await AcceptHandshakeAsync(socket, remote, _tls).ConfigureAwait(false);
            if (connection is not null)
            {
                TryOpen(connection);
            }
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
        {
            // The peer was gone already.
            socket.Dispose();
        }
#pragma warning disable CA1031 // it must cost this connection only
        catch (Exception exception)
#pragma warning restore CA1031
        {
            socket.Dispose();
            Context.Counters.Add(CoapCounter.StageErrors);
            Report(exception, static (engine, exception) => Log.ConnectionSetupFailed(engine.Context.Logger, exception));
        }
    }

    private bool TryOpen(AsyncConnection connection)
    {
        if (!TryEnter(connection))
        {
            connection.Abandon();
            return false;
        }

        bool isOpen = false;
        try
        {
            isOpen = Context.Opened(connection);
        }
        finally
        {
            if (!isOpen)
            {
                connection.Abandon();
                Leave();
            }
        }

        if (isOpen)
        {
            connection.Start();
        }

        return isOpen;
    }

    private bool TryEnter(AsyncConnection connection)
    {
        lock (_gate)
        {
            if (_isClosing)
            {
                return false;
            }

            _connections.Add(connection);
            _members.Enter();
            return true;
        }
    }

    private static CoapAddress RemoteAddressOf(Socket socket) => CoapAddress.FromIPEndPoint((IPEndPoint)socket.RemoteEndPoint!);
}
