using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using CoAP.NET.Errors;
using CoAP.NET.Transports.Loops;
using CoAP.NET.Transports.Streams;

namespace CoAP.NET.Transports.Tcp;

/// <summary>
/// TCP and TLS over the platform's asynchronous sockets: an accept loop for each listening socket, a read loop for each connection, and a
/// write loop while output waits. None of them owns a thread. On Linux the loops of the shards watch the sockets below TLS, unless this is
/// turned off.
/// </summary>
internal sealed class AsyncTcpEngine : TcpEngine
{
    private readonly Lock _gate = new();
    private readonly List<Socket> _listeners = [];
    private readonly CancellationTokenSource _stopping = new();
    private readonly TlsSettings? _tls;

    // Both null when the platform drives the sockets.
    private readonly TransportLoops? _loops;
    private readonly OpenConnectionCountdown? _loopSockets;

    private readonly HandshakeLimiter _handshakes;
    private readonly TlsHandshakeDiagnostics _reports;
    private Task _accepting = Task.CompletedTask;

    public AsyncTcpEngine(CoapTcpTransport transport, ICoapStreamTransportContext context, CoapTcpTransportOptions options)
        : base(transport, context, options)
    {
        Host = new AsyncIOConnections(transport, context, options.Streams);
        _reports = new TlsHandshakeDiagnostics(context);
        _handshakes = new HandshakeLimiter(context.Limits, context.TimeProvider, context.Sources);
        _tls = options.UseTls ? new TlsSettings(options.Tls ?? new CoapTlsOptions()) : null;
        if (_tls is not null && options.Engine != CoapSocketEngine.Portable && TransportLoops.IsSupported)
        {
            _loops = new TransportLoops(context, options.HandOverAfter, options.Endpoints.Count > 0);
            _loopSockets = new OpenConnectionCountdown();
        }
    }

    public override CoapSocketEngine Kind => _loops is null ? CoapSocketEngine.Portable : CoapSocketEngine.LinuxLoop;

    public override bool DrivesClock => _loops?.DrivesClock == true;

    public AsyncIOConnections Host { get; }

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
            _loopSockets!.Leave();
            await _loopSockets.Gone.ConfigureAwait(false);
            await loops.DetachAsync().ConfigureAwait(false);
            loops.Release();
        }
    }

    private ConnectedTcpSocket SocketOf(Socket socket, in CoapAddress remote) => _loops is { } loops
        ? new LoopTcpSocket(loops.Owner, loops.Of(remote), socket.SafeHandle, socket, _loopSockets!)
        : new PortableTcpSocket(socket);

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
        await default(YieldToPool);
        try
        {
            socket.NoDelay = true;
            CoapAddress remote = RemoteAddressOf(socket);
            AsyncIOConnection? connection = _tls is null
                ? Connection(
                    new SocketByteTransport(new PortableTcpSocket(socket), remote, isInitiator: false), remote, isInitiator: false)
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

    private AsyncIOConnection Connection(
        SocketByteTransport link, CoapAddress remote, bool isInitiator, CoapTlsPeerIdentity? identity = null,
        string? serverName = null) =>
            new(Host, link, remote, link.LocalAddress, isInitiator, identity, serverName);

    private static CoapAddress RemoteAddressOf(Socket socket) => CoapAddress.FromIPEndPoint((IPEndPoint)socket.RemoteEndPoint!);

    public override CoapConnectProgress? ProgressOf(CoapAddress remote, string? serverName) =>
        Host.ConnectProgressTable.Find(remote, serverName);

    public override async ValueTask<CoapConnection> ConnectAsync(CoapAddress remote, IPAddress? local, string? serverName,
        CancellationToken cancellationToken)
    {
        try
        {
            return await OpenAsync(remote, local, serverName, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is not OperationCanceledException)
        {
            Context.Counters.Add(CoapCounter.ConnectionsFailed);
            throw;
        }
    }

    private async Task<CoapConnection> OpenAsync(CoapAddress remote, IPAddress? local, string? serverName,
        CancellationToken cancellationToken)
    {
        ObjectDisposedException.ThrowIf(_stopping.IsCancellationRequested, Transport);
        cancellationToken.ThrowIfCancellationRequested();
        using ConnectProgressTable.Opening opening = Host.ConnectProgressTable.Begin(remote, serverName);
        try
        {
            ConnectedTcpSocket socket = await ConnectSocketAsync(remote, local, cancellationToken).ConfigureAwait(false);
            AsyncIOConnection connection = _tls is null
                ? Connection(new SocketByteTransport(socket, remote, isInitiator: true), remote, isInitiator: true, serverName: serverName)
                : await ConnectHandshakeAsync(socket, opening, _tls, cancellationToken).ConfigureAwait(false);
            return Host.TryOpen(connection)
                ? connection
                : throw new CoapConnectionException(
                    CoapError.Refused,
                    $"The connection to {remote} was not opened: CoapLimits.Connections.MaxCount is reached, or the endpoint stops.");
        }
        catch (SocketException exception)
        {
            throw new CoapConnectionException(CoapError.ConnectFailed,
                $"The connection to {remote} broke at once: {exception.Message}.", exception);
        }
    }

    private async Task<ConnectedTcpSocket> ConnectSocketAsync(CoapAddress remote, IPAddress? local, CancellationToken cancellationToken)
    {
        TimeSpan limit = Options.Streams.ConnectTimeout;
        using CancellationTokenSource timeout = new(limit, Context.TimeProvider);
        using CancellationTokenSource any = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, timeout.Token,
            _stopping.Token);
        try
        {
            return _loops is { } loops
                ? await ConnectInLoopAsync(loops, remote, local, any.Token).ConfigureAwait(false)
                : await ConnectByPlatformAsync(remote, local, any.Token).ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is SocketException or OperationCanceledException or ObjectDisposedException)
        {
            cancellationToken.ThrowIfCancellationRequested();
            throw exception switch
            {
                SocketException failed => new CoapConnectionException(
                    CoapError.ConnectFailed, $"No connection to {remote}: {failed.Message}. {Advice(failed.SocketErrorCode)}",
                    failed),
                _ when _stopping.IsCancellationRequested =>
                    new CoapConnectionException(CoapError.ClosedLocally, $"No connection to {remote}: the endpoint was stopped.",
                        exception),
                _ => new CoapConnectionException(
                    CoapError.ConnectFailed,
                    $"No connection to {remote}: nothing answered within {limit.TotalSeconds:0.###} s (ConnectTimeout). Check the address, "
                        + "and firewalls on the way.",
                    exception),
            };
        }
    }

    private static async Task<ConnectedTcpSocket> ConnectByPlatformAsync(
        CoapAddress remote, IPAddress? local, CancellationToken cancellationToken)
    {
        IPEndPoint endpoint = remote.ToIPEndPoint();
        Socket socket = new(endpoint.AddressFamily, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        try
        {
            if (local is not null)
            {
                socket.Bind(new IPEndPoint(local, 0));
            }

            await socket.ConnectAsync(endpoint, cancellationToken).ConfigureAwait(false);
            return new PortableTcpSocket(socket);
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    private async Task<ConnectedTcpSocket> ConnectInLoopAsync(TransportLoops loops, CoapAddress remote, IPAddress? local,
        CancellationToken cancellationToken)
    {
        SocketHandle handle = TcpSockets.Connect(remote, local);
        LoopTcpSocket socket = new(loops.Owner, loops.Of(remote), handle, handle, _loopSockets!);
        try
        {
            await socket.ConnectAsync(remote, cancellationToken).ConfigureAwait(false);
            return socket;
        }
        catch
        {
            socket.Close();
            throw;
        }
    }

    private static string Advice(SocketError error) => error switch
    {
        SocketError.ConnectionRefused => "No server listens there: check the address and that the server runs.",
        SocketError.NetworkUnreachable or SocketError.HostUnreachable => "There is no route to it: check the network and the address.",
        SocketError.TooManyOpenSockets => "The process has too many open files: close connections, or raise the limit.",
        SocketError.AddressNotAvailable => "No local port is left for it, or LocalAddress does not belong to this machine.",
        _ => "Check the address and the network.",
    };

    private async Task<AsyncIOConnection> ConnectHandshakeAsync(
        ConnectedTcpSocket socket, ConnectProgressTable.Opening opening, TlsSettings settings, CancellationToken cancellationToken)
    {
        CoapAddress remote = opening.Remote;
        string? serverName = opening.ServerName;
        TimeSpan limit = Options.Streams.HandshakeTimeout;
        string host = serverName ?? remote.ToIPAddress().ToString();
        using CancellationTokenSource timeout = new(limit, Context.TimeProvider);
        using CancellationTokenSource any = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, timeout.Token,
            _stopping.Token);
        TlsInnerStream inner = new(socket);
        SslStream stream = new(inner);
        TlsServerCertificateCheck check = new(opening, CoapTimeoutStep.TlsHandshake);
        opening.OnConnected(CoapTimeoutStep.TlsHandshake);
        try
        {
            SslClientAuthenticationOptions options = settings.ForServer(host, check);
            await stream.AuthenticateAsClientAsync(options, any.Token).ConfigureAwait(false);
            if (!IsProtocolAccepted(stream, remote.Port))
            {
                throw TlsFailureMessage.NoApplicationProtocol(remote, stream.NegotiatedApplicationProtocol);
            }

            CoapTlsPeerIdentity identity = TlsSettings.IdentityOf(stream, options.TargetHost == host ? serverName : options.TargetHost);
            return Connection(
                new SocketByteTransport(socket, stream, inner, remote, isInitiator: true), remote, isInitiator: true, identity,
                identity.ServerName);
        }
#pragma warning disable CA1031 // callbacks of the application run in a handshake and may throw anything
        catch (Exception exception)
#pragma warning restore CA1031
        {
            await stream.DisposeAsync().ConfigureAwait(false);
            cancellationToken.ThrowIfCancellationRequested();
            if (_stopping.IsCancellationRequested)
            {
                throw new CoapConnectionException(CoapError.ClosedLocally, $"No connection to {remote}: the endpoint was stopped.",
                    exception);
            }

            Context.Counters.Add(CoapCounter.HandshakesFailed);
            throw exception as CoapConnectionException
                ?? TlsFailureMessage.OfClient(remote, host, check, exception, timeout.IsCancellationRequested ? limit : null);
        }
    }

    private async Task<AsyncIOConnection?> AcceptHandshakeAsync(Socket socket, CoapAddress remote, TlsSettings settings)
    {
        SslStream? stream = null;
        ConnectedTcpSocket connected = SocketOf(socket, remote);
        using CancellationTokenSource any = CancellationTokenSource.CreateLinkedTokenSource(_stopping.Token);

        // Its place comes before its timer: code that sees the timer knows that later connections are evicted after this one.
        HandshakeLimiter.Handshake handshake = _handshakes.Enter(remote, any);
        using CancellationTokenSource timeout = new(Options.Streams.HandshakeTimeout, Context.TimeProvider);
        using CancellationTokenRegistration over =
            timeout.Token.UnsafeRegister(static any => ((CancellationTokenSource)any!).Cancel(), any);
        TlsClientCertificateCheck check = new();
        try
        {
            // A silent peer costs no more than its socket, and takes no place of a handshake.
            await connected.WaitAsync(any.Token).ConfigureAwait(false);
            if (!_handshakes.TryBegin(handshake))
            {
                Context.Counters.Add(handshake.Evicted ? CoapCounter.ConnectionsEvicted : CoapCounter.ConnectionsRefused);
                connected.Close();
                return null;
            }

            TlsInnerStream inner = new(connected, handshake);
            stream = new SslStream(inner);
            await stream.AuthenticateAsServerAsync(settings.SelectAsync, check, any.Token).ConfigureAwait(false);
            if (!IsProtocolAccepted(stream, connected.LocalAddress.Port))
            {
                throw TlsFailureMessage.NoApplicationProtocol(remote, stream.NegotiatedApplicationProtocol);
            }

            CoapTlsPeerIdentity identity = TlsSettings.IdentityOf(stream,
                stream.TargetHostName is { Length: > 0 } name ? name.ToLowerInvariant() : null);
            return Connection(
                new SocketByteTransport(connected, stream, inner, remote, isInitiator: false), remote, isInitiator: false, identity,
                identity.ServerName);
        }
#pragma warning disable CA1031 // any failure in a handshake, of the peer or of a callback of the application, ends this connection only
        catch (Exception exception)
#pragma warning restore CA1031
        {
            if (stream is not null)
            {
                await stream.DisposeAsync().ConfigureAwait(false);
            }

            connected.Close();
            if (!_stopping.IsCancellationRequested)
            {
                if (handshake.Evicted)
                {
                    Context.Counters.Add(CoapCounter.ConnectionsEvicted);
                    TcpLog.HandshakeFailed(Context.Logger, remote,
                        "other handshakes needed its place, its source had most of them, and it was idle for longest (MaxHandshakes, "
                            + "MaxHandshakesPerSource)");
                }
                else
                {
                    _reports.Failed(remote, check, exception, timeout.IsCancellationRequested);
                }
            }

            return null;
        }
        finally
        {
            _handshakes.Leave(handshake);
        }
    }

    // RFC 8323 section 8.2: coap is implied on its registered port, elsewhere both sides must agree on it.
    private bool IsProtocolAccepted(SslStream stream, int port) =>
        stream.NegotiatedApplicationProtocol == TlsSettings.Coap
            || (port == Options.TlsPort && stream.NegotiatedApplicationProtocol.Protocol.IsEmpty);
}
