using System.Net;
using System.Net.Security;
using System.Net.Sockets;

namespace CoAP.NET.Transports;

// Opening connections, with the handshake of TLS.
internal sealed partial class AsyncTcpEngine
{
    public override CoapConnectProgress? ProgressOf(CoapAddress remote, string? serverName) => Host.Openings.Find(remote, serverName);

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
        using Openings.Opening opening = Host.Openings.Begin(remote, serverName);
        try
        {
            SocketWire wire = await ConnectWireAsync(remote, local, cancellationToken).ConfigureAwait(false);
            AsyncConnection connection = _tls is null
                ? Connection(new SocketLink(wire, remote, isInitiator: true), remote, isInitiator: true, serverName: serverName)
                : await ConnectHandshakeAsync(wire, opening, _tls, cancellationToken).ConfigureAwait(false);
            return Host.TryOpen(connection)
                ? connection
                : throw new CoapConnectionException(
                    CoapConnectionError.Refused,
                    $"The connection to {remote} was not opened: CoapLimits.MaxConnections is reached, or the endpoint stops.");
        }
        catch (SocketException exception)
        {
            throw new CoapConnectionException(CoapConnectionError.ConnectFailed,
                $"The connection to {remote} broke at once: {exception.Message}.", exception);
        }
    }

    private async Task<SocketWire> ConnectWireAsync(CoapAddress remote, IPAddress? local, CancellationToken cancellationToken)
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
                    CoapConnectionError.ConnectFailed, $"No connection to {remote}: {failed.Message}. {Advice(failed.SocketErrorCode)}",
                    failed),
                _ when _stopping.IsCancellationRequested =>
                    new CoapConnectionException(CoapConnectionError.ClosedByUs, $"No connection to {remote}: the endpoint was stopped.",
                        exception),
                _ => new CoapConnectionException(
                    CoapConnectionError.ConnectFailed,
                    $"No connection to {remote}: nothing answered within {limit.TotalSeconds:0.###} s (ConnectTimeout). Check the address, "
                        + "and firewalls on the way.",
                    exception),
            };
        }
    }

    private static async Task<SocketWire> ConnectByPlatformAsync(CoapAddress remote, IPAddress? local, CancellationToken cancellationToken)
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
            return new PlatformWire(socket);
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    private async Task<SocketWire> ConnectInLoopAsync(TransportLoops loops, CoapAddress remote, IPAddress? local,
        CancellationToken cancellationToken)
    {
        SocketHandle handle = TcpSockets.Connect(remote, local);
        LoopWire wire = new(loops.Owner, loops.Of(remote), handle, handle, _wires!);
        try
        {
            await wire.ConnectAsync(remote, cancellationToken).ConfigureAwait(false);
            return wire;
        }
        catch
        {
            wire.Close();
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

    private async Task<AsyncConnection> ConnectHandshakeAsync(
        SocketWire wire, Openings.Opening opening, TlsSettings settings, CancellationToken cancellationToken)
    {
        CoapAddress remote = opening.Remote;
        string? serverName = opening.ServerName;
        TimeSpan limit = Options.Streams.HandshakeTimeout;
        string host = serverName ?? remote.ToIPAddress().ToString();
        using CancellationTokenSource timeout = new(limit, Context.TimeProvider);
        using CancellationTokenSource any = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, timeout.Token,
            _stopping.Token);
        TlsSocketStream inner = new(wire);
        SslStream stream = new(inner);
        TlsCheck check = new(opening, CoapAwaited.TlsHandshake);
        opening.OnConnected(CoapAwaited.TlsHandshake);
        try
        {
            SslClientAuthenticationOptions options = settings.ForServer(host, check);
            await stream.AuthenticateAsClientAsync(options, any.Token).ConfigureAwait(false);
            if (!IsProtocolAccepted(stream, remote.Port))
            {
                throw TlsFailure.NoApplicationProtocol(remote, stream.NegotiatedApplicationProtocol);
            }

            CoapTlsIdentity identity = TlsSettings.IdentityOf(stream, options.TargetHost == host ? serverName : options.TargetHost);
            return Connection(new SocketLink(wire, stream, inner, remote, isInitiator: true), remote, isInitiator: true, identity,
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
                throw new CoapConnectionException(CoapConnectionError.ClosedByUs, $"No connection to {remote}: the endpoint was stopped.",
                    exception);
            }

            Context.Counters.Add(CoapCounter.HandshakesFailed);
            throw exception as CoapConnectionException
                ?? TlsFailure.OfClient(remote, host, check, exception, timeout.IsCancellationRequested ? limit : null);
        }
    }

    private async Task<AsyncConnection?> AcceptHandshakeAsync(Socket socket, CoapAddress remote, TlsSettings settings)
    {
        SslStream? stream = null;
        SocketWire wire = WireOf(socket, remote);
        using CancellationTokenSource any = CancellationTokenSource.CreateLinkedTokenSource(_stopping.Token);

        // Its place comes before its timer: whoever sees the timer knows that later connections give way after this one.
        HandshakePlaces.Handshake handshake = _handshakes.Enter(remote, any);
        using CancellationTokenSource timeout = new(Options.Streams.HandshakeTimeout, Context.TimeProvider);
        using CancellationTokenRegistration over = timeout.Token.UnsafeRegister(static any => ((CancellationTokenSource)any!).Cancel(), any);
        TlsClientCheck check = new();
        try
        {
            // A silent peer costs no more than its socket, and takes no place of a handshake.
            await wire.WaitAsync(any.Token).ConfigureAwait(false);
            if (!_handshakes.TryBegin(handshake))
            {
                Context.Counters.Add(handshake.GaveWay ? CoapCounter.ConnectionsEvicted : CoapCounter.ConnectionsRefused);
                wire.Close();
                return null;
            }

            TlsSocketStream inner = new(wire, handshake);
            stream = new SslStream(inner);
            await stream.AuthenticateAsServerAsync(settings.SelectAsync, check, any.Token).ConfigureAwait(false);
            if (!IsProtocolAccepted(stream, wire.LocalAddress.Port))
            {
                throw TlsFailure.NoApplicationProtocol(remote, stream.NegotiatedApplicationProtocol);
            }

            CoapTlsIdentity identity = TlsSettings.IdentityOf(stream,
                stream.TargetHostName is { Length: > 0 } name ? name.ToLowerInvariant() : null);
            return Connection(new SocketLink(wire, stream, inner, remote, isInitiator: false), remote, isInitiator: false, identity,
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

            wire.Close();
            if (!_stopping.IsCancellationRequested)
            {
                if (handshake.GaveWay)
                {
                    Context.Counters.Add(CoapCounter.ConnectionsEvicted);
                    TcpLog.HandshakeFailed(Context.Logger, remote,
                        "other handshakes needed its place, its source had most of them, and it was idle for longest (MaxHandshakes, "
                            + "MaxHandshakesPerAddress)");
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
