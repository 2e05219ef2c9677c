using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Net.WebSockets;

namespace CoAP.NET.Transports;

/// <summary>
/// Opens WebSockets according to RFC 8323 section 4.1: at the well-known path, with <c>coap</c> as the only subprotocol. It uses the
/// platform's HTTP, except for the address, which is already resolved.
/// </summary>
internal sealed class WebSocketConnector
{
    private readonly CoapWebSocketTransportOptions _options;
    private readonly SslClientAuthenticationOptions _tls;

    public WebSocketConnector(CoapWebSocketTransportOptions options)
    {
        _options = options;
        _tls = TlsCopies.Of(options.Tls?.Client ?? new SslClientAuthenticationOptions());

        // ALPN negotiates HTTP here; the subprotocol negotiates coap.
        _tls.ApplicationProtocols = null;
        _tls.AllowRenegotiation = false;
    }

    /// <summary>See <see cref="CoapConnectionTransport.ConnectFromAsync"/>.</summary>
    public async ValueTask<CoapConnection> ConnectAsync(HostEngine engine, CoapAddress remote, IPAddress? local, string? serverName,
        CancellationToken cancellationToken)
    {
        try
        {
            // Also without TLS: .NET computes the handshake of a WebSocket with SHA-1.
            return !PlatformCryptography.IsAvailable
                ? throw new CoapException(PlatformCryptography.Missing(_options.UseTls ? "coaps+ws" : "coap+ws"))
                : await OpenAsync(engine, remote, local, serverName, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is not OperationCanceledException)
        {
            engine.Context.Counters.Add(CoapCounter.ConnectionsFailed);
            throw;
        }
    }

    private async Task<CoapConnection> OpenAsync(HostEngine engine, CoapAddress remote, IPAddress? local, string? serverName,
        CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        ICoapStreamContext context = engine.Context;
        CoapStreamOptions streams = _options.Streams;
        using CancellationTokenSource timeout = new(TimeFor(streams), context.TimeProvider);
        using CancellationTokenSource any = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, timeout.Token,
            engine.Stopping);
        Uri uri = UriOf(remote, serverName);
        using Openings.Opening opening = engine.Host.Openings.Begin(remote, serverName);
        Dialling dialling = new(opening, local, uri);
        TlsCheck check = new(opening, CoapAwaited.WebSocketHandshake);
#pragma warning disable CA2000 // the invoker owns the handler, and the connection owns the invoker
        HttpMessageInvoker invoker = new(HandlerFor(dialling, check), disposeHandler: true);
#pragma warning restore CA2000
        ClientWebSocket? webSocket = new();
        try
        {
            Prepare(webSocket.Options);
            await webSocket.ConnectAsync(uri, invoker, any.Token).ConfigureAwait(false);
            if (webSocket.SubProtocol != CoapWebSocketTransport.SubProtocol)
            {
                throw NotCoap(uri, null);
            }

            WebSocketLink link = new(webSocket, remote, invoker);
            AsyncConnection connection = new(engine.Host, link, remote, dialling.Local, isInitiator: true, serverName: serverName);
            webSocket = null;
            return engine.Host.TryOpen(connection) ? connection : throw ConnectFailure.Refused(remote);
        }
#pragma warning disable CA1031 // callbacks of the application run here and may throw anything
        catch (Exception exception) when (exception is not CoapException)
#pragma warning restore CA1031
        {
            cancellationToken.ThrowIfCancellationRequested();
            throw engine.Stopping.IsCancellationRequested ? ConnectFailure.Stopped(remote)
                : timeout.IsCancellationRequested ? new CoapConnectionException(
                    CoapConnectionError.ConnectFailed,
                    $"No WebSocket to {uri} within {TimeFor(streams).TotalSeconds:0.###} s (ConnectTimeout and HandshakeTimeout). Check "
                        + "the address, and that a web server answers there.",
                    exception)
                : Explain(uri, remote, webSocket, dialling, check, exception);
        }
        finally
        {
            if (webSocket is not null)
            {
                webSocket.Dispose();
                invoker.Dispose();
            }
        }
    }

    private void Prepare(ClientWebSocketOptions options)
    {
        CoapWebSocketOptions wishes = _options.WebSockets;
        wishes.Configure?.Invoke(options);
        foreach ((string name, string value) in wishes.Headers)
        {
            options.SetRequestHeader(name, value);
        }

        options.HttpVersion = wishes.HttpVersion;
        options.HttpVersionPolicy = wishes.HttpVersionPolicy;
        options.CollectHttpResponseDetails = true;
        options.AddSubProtocol(CoapWebSocketTransport.SubProtocol);

        // RFC 8323 section 4.4: CoAP's own Ping checks whether the peer is there.
        options.KeepAliveInterval = TimeSpan.Zero;
    }

    private SocketsHttpHandler HandlerFor(Dialling dialling, TlsCheck check)
    {
        SslClientAuthenticationOptions tls = TlsCopies.Of(_tls);
        PeerChains.Guard(tls);
        check.UserCallback = tls.RemoteCertificateValidationCallback;
        tls.RemoteCertificateValidationCallback = check.Validate;
        CoapWebSocketOptions wishes = _options.WebSockets;
        return new SocketsHttpHandler
        {
            AllowAutoRedirect = false,
            UseCookies = false,
            UseProxy = wishes.UseProxy,
            Proxy = wishes.Proxy,
            Credentials = wishes.Credentials,
            PreAuthenticate = wishes.Credentials is not null,
            SslOptions = tls,
            ConnectCallback = dialling.ConnectAsync,
        };
    }

    private Uri UriOf(CoapAddress remote, string? serverName)
    {
        // A zone is local to this machine, and not part of the name.
        string host = serverName ?? new IPAddress(remote.ToIPAddress().GetAddressBytes()).ToString();
        string authority = host.Contains(':', StringComparison.Ordinal) && host[0] != '[' ? $"[{host}]" : host;
        return new Uri($"{(_options.UseTls ? "wss" : "ws")}://{authority}:{remote.Port}{_options.WebSockets.Path}");
    }

    private static TimeSpan TimeFor(CoapStreamOptions streams) =>
        streams.ConnectTimeout == Timeout.InfiniteTimeSpan || streams.HandshakeTimeout == Timeout.InfiniteTimeSpan
            ? Timeout.InfiniteTimeSpan
            : streams.ConnectTimeout + streams.HandshakeTimeout;

    private static CoapConnectionException NotCoap(Uri uri, Exception? exception) => new(
        CoapConnectionError.ConnectFailed,
        $"No WebSocket to {uri}: the server did not select the sub-protocol coap (RFC 8323 section 4.1). Does a CoAP server listen there?",
        exception);

    private static CoapConnectionException Explain(Uri uri, CoapAddress remote, ClientWebSocket? webSocket, Dialling dialling,
        TlsCheck check, Exception exception)
    {
        if (dialling.Failure is { } failure)
        {
            return ConnectFailure.Of(remote, failure);
        }

        if (check.IsRefused)
        {
            return TlsFailure.OfClient(remote, uri.IdnHost, check, exception, null);
        }

        if (exception is WebSocketException { WebSocketErrorCode: WebSocketError.UnsupportedProtocol })
        {
            return NotCoap(uri, exception);
        }

        string advice = webSocket?.HttpStatusCode switch
        {
            HttpStatusCode.NotFound =>
                " Nothing is served at that path: check the port, CoapWebSocketOptions.Path, and that the server speaks CoAP over "
                    + "WebSockets.",
            HttpStatusCode.Unauthorized or HttpStatusCode.Forbidden or HttpStatusCode.ProxyAuthenticationRequired =>
                " See CoapWebSocketOptions.Credentials, Headers and Proxy.",
            null or 0 => " Check the port, and that a web server answers "
                + $"there {(uri.Scheme == "wss" ? "with TLS (coap+ws is without)" : "without TLS (coaps+ws is with)")}.",
            _ => string.Empty,
        };
        return new CoapConnectionException(CoapConnectionError.ConnectFailed,
            $"No WebSocket to {uri}: {TlsFailure.Words(exception)}{advice}", exception);
    }

    /// <summary>Opens the socket of one WebSocket: to the resolved address of the host, or to a proxy.</summary>
    private sealed class Dialling(Openings.Opening opening, IPAddress? local, Uri uri)
    {
        private readonly CoapAddress _remote = opening.Remote;

        /// <summary>The bound local address.</summary>
        public CoapAddress Local { get; private set; }

        /// <summary>The error of opening the socket.</summary>
        public SocketException? Failure { get; private set; }

        public async ValueTask<Stream> ConnectAsync(SocketsHttpConnectionContext context, CancellationToken cancellationToken)
        {
            DnsEndPoint wanted = context.DnsEndPoint;
            bool isServer = wanted.Port == uri.Port
                && string.Equals(wanted.Host.Trim('[', ']'), uri.IdnHost.Trim('[', ']'), StringComparison.OrdinalIgnoreCase);
            Socket socket = isServer
                ? new Socket(
                    _remote.IsIPv4 ? AddressFamily.InterNetwork : AddressFamily.InterNetworkV6, SocketType.Stream, ProtocolType.Tcp)
                : new Socket(SocketType.Stream, ProtocolType.Tcp);
            try
            {
                socket.NoDelay = true;
                if (local is not null)
                {
                    socket.Bind(new IPEndPoint(local, 0));
                }

                await socket.ConnectAsync(isServer ? _remote.ToIPEndPoint() : wanted, cancellationToken).ConfigureAwait(false);
                Local = CoapAddress.FromIPEndPoint((IPEndPoint)socket.LocalEndPoint!);
                opening.OnConnected(uri.Scheme == "wss" ? CoapAwaited.TlsHandshake : CoapAwaited.WebSocketHandshake);
                return new NetworkStream(socket, ownsSocket: true);
            }
            catch (SocketException exception)
            {
                Failure = exception;
                socket.Dispose();
                throw;
            }
            catch
            {
                socket.Dispose();
                throw;
            }
        }
    }
}
