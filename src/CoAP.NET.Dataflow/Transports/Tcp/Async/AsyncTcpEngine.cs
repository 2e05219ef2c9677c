using System.Net;
using System.Net.Sockets;

namespace CoAP.NET.Transports;

/// <summary>
/// TCP and TLS over the platform's asynchronous sockets: an accept loop for each listening socket, a read loop for each connection, and a
/// write loop while output waits. None of them owns a thread. On Linux the loops of the shards watch the sockets below TLS, unless this is
/// turned off.
/// </summary>
internal sealed partial class AsyncTcpEngine : TcpEngine
{
    private readonly Lock _gate = new();
    private readonly List<Socket> _listeners = [];
    private readonly CancellationTokenSource _stopping = new();
    private readonly TlsSettings? _tls;

    // Both null when the platform drives the sockets.
    private readonly TransportLoops? _loops;
    private readonly MemberCount? _wires;

    private readonly HandshakePlaces _handshakes;
    private readonly TlsReports _reports;
    private Task _accepting = Task.CompletedTask;

    public AsyncTcpEngine(CoapTcpTransport transport, ICoapStreamContext context, CoapTcpTransportOptions options)
        : base(transport, context, options)
    {
        Host = new ConnectionHost(transport, context, options.Streams);
        _reports = new TlsReports(context);
        _handshakes = new HandshakePlaces(context.Limits, context.TimeProvider, context.Sources);
        _tls = options.UseTls ? new TlsSettings(options.Tls ?? new CoapTlsOptions()) : null;
        if (_tls is not null && options.Engine != CoapTcpEngine.Async && TransportLoops.IsSupported)
        {
            _loops = new TransportLoops(context, options.HandOverAfter, options.Endpoints.Count > 0);
            _wires = new MemberCount();
        }
    }

    public override CoapTcpEngine Kind => _loops is null ? CoapTcpEngine.Async : CoapTcpEngine.Inline;

    public override bool DrivesClock => _loops?.DrivesClock == true;

    /// <summary>The connections.</summary>
    public ConnectionHost Host { get; }

    /// <summary>The number of pending handshakes that peers began.</summary>
    public int Handshakes => (int)_handshakes.Begun;

    /// <summary>The number of accepted connections without any input yet.</summary>
    public int Silent => (int)_handshakes.Silent;

    public static CoapAddress LocalAddressOf(Socket socket) => CoapAddress.FromIPEndPoint((IPEndPoint)socket.LocalEndPoint!);

    public override async Task StartAsync()
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
            TcpLog.TcpBound(Context.Logger, addresses[^1], Kind, Options.UseTls);
        }

        LocalAddresses = addresses;
        if (_loops is { } loops)
        {
            loops.Start();
            for (int i = 0; i < loops.All.Length; i++)
            {
                await loops.AttachAsync(i).ConfigureAwait(false);
            }
        }

        _accepting = Task.WhenAll(_listeners.Select(listener => new SocketAcceptLoop(this, listener, _stopping.Token).RunAsync()));
    }

    public override void Wake() => _loops?.Wake();

    /// <summary>Starts an accepted connection. Does not throw.</summary>
    public void Serve(Socket socket) => _ = ServeAsync(socket);

    protected override async Task CloseAsync()
    {
        Host.BeginClose();

        // Before the sockets are closed: an accept that this causes to fail is not reported.
        await _stopping.CancelAsync().ConfigureAwait(false);
        lock (_gate)
        {
            foreach (Socket listener in _listeners)
            {
                listener.Dispose();
            }
        }

        Host.CloseConnections();
        await _accepting.ConfigureAwait(false);
        await Host.WhenLeftAsync().ConfigureAwait(false);
        if (_loops is { All.Length: > 0 } loops)
        {
            _wires!.Leave();
            await _wires.Gone.ConfigureAwait(false);
            await loops.DetachAsync().ConfigureAwait(false);
            loops.Release();
        }
    }

    private SocketWire WireOf(Socket socket, in CoapAddress remote) => _loops is { } loops
        ? new LoopWire(loops.Owner, loops.Of(remote), socket.SafeHandle, socket, _wires!)
        : new PlatformWire(socket);

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

            if (OperatingSystem.IsWindows())
            {
                // Otherwise any program of this account may take the port with SO_REUSEADDR.
                socket.ExclusiveAddressUse = true;
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

    private async Task ServeAsync(Socket socket)
    {
        // The next steps may run user code, and the handshake takes time: the next connection does not wait for them.
        await default(PoolTurn);
        try
        {
            socket.NoDelay = true;
            CoapAddress remote = RemoteAddressOf(socket);
            AsyncConnection? connection = _tls is null
                ? Connection(new SocketLink(new PlatformWire(socket), remote, isInitiator: false), remote, isInitiator: false)
                : await AcceptHandshakeAsync(socket, remote, _tls).ConfigureAwait(false);
            if (connection is not null)
            {
                Host.TryOpen(connection);
            }
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
        {
            // The peer had already disconnected.
            socket.Dispose();
        }
#pragma warning disable CA1031 // it must cost this connection only
        catch (Exception exception)
#pragma warning restore CA1031
        {
            socket.Dispose();
            Context.Counters.Add(CoapCounter.StageErrors);
            TcpLog.ConnectionSetupFailed(Context.Logger, exception);
        }
    }

    private AsyncConnection Connection(SocketLink link, CoapAddress remote, bool isInitiator, CoapTlsIdentity? identity = null,
        string? serverName = null) =>
            new(Host, link, remote, link.LocalAddress, isInitiator, identity, serverName);

    private static CoapAddress RemoteAddressOf(Socket socket) => CoapAddress.FromIPEndPoint((IPEndPoint)socket.RemoteEndPoint!);
}
