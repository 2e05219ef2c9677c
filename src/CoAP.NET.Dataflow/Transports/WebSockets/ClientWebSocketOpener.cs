using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Net.WebSockets;
using System.Runtime.Versioning;
using CoAP.NET.Errors;
using CoAP.NET.Limits;
using CoAP.NET.Transports.Streams;
using CoAP.NET.Transports.Tcp;

namespace CoAP.NET.Transports.WebSockets;

/// <summary>Opens WebSockets by the platform's HTTP, except for the address, which is already resolved.</summary>
[UnsupportedOSPlatform("browser")]
internal sealed class ClientWebSocketOpener
{
    private readonly CoapWebSocketOptions _wishes;
    private readonly SslClientAuthenticationOptions _tls;

    public ClientWebSocketOpener(CoapWebSocketTransportOptions options)
    {
        _wishes = options.WebSockets;
        _tls = TlsOptionsCopier.Of(options.Tls?.Client ?? new SslClientAuthenticationOptions());

        // ALPN negotiates HTTP here; the subprotocol negotiates coap.
        _tls.ApplicationProtocols = null;
        _tls.AllowRenegotiation = false;
    }

    /// <summary>Begins to open a WebSocket.</summary>
    /// <param name="progress">The progress of the attempt.</param>
    /// <param name="local">The address to connect from; null for any.</param>
    /// <param name="uri">The URI of the WebSocket.</param>
    public WebSocketOpening Begin(ConnectProgressTable.Opening progress, IPAddress? local, Uri uri)
    {
        SocketDialer dialling = new(progress, local, uri);
        TlsServerCertificateCheck check = new(progress, CoapTimeoutStep.WebSocketHandshake);
#pragma warning disable CA2000 // the invoker owns the handler, and the opening the invoker
        return new Opening(this, uri, dialling, check, new HttpMessageInvoker(HandlerFor(dialling, check), disposeHandler: true));
#pragma warning restore CA2000
    }

    private void Prepare(ClientWebSocketOptions options)
    {
        _wishes.Configure?.Invoke(options);
        foreach ((string name, string value) in _wishes.Headers)
        {
            options.SetRequestHeader(name, value);
        }

        options.HttpVersion = _wishes.HttpVersion;
        options.HttpVersionPolicy = _wishes.HttpVersionPolicy;
        options.CollectHttpResponseDetails = true;
        options.AddSubProtocol(CoapWebSocketTransport.SubProtocol);

        // RFC 8323 section 4.4: CoAP's own Ping checks whether the peer is there.
        options.KeepAliveInterval = TimeSpan.Zero;
    }

    private SocketsHttpHandler HandlerFor(SocketDialer dialling, TlsServerCertificateCheck check)
    {
        SslClientAuthenticationOptions tls = TlsOptionsCopier.Of(_tls);
        OfflineCertificateChainPolicy.Guard(tls);
        check.UserCallback = tls.RemoteCertificateValidationCallback;
        tls.RemoteCertificateValidationCallback = check.Validate;
        return new SocketsHttpHandler
        {
            AllowAutoRedirect = false,
            UseCookies = false,
            UseProxy = _wishes.UseProxy,
            Proxy = _wishes.Proxy,
            Credentials = _wishes.Credentials,
            PreAuthenticate = _wishes.Credentials is not null,
            SslOptions = tls,
            ConnectCallback = dialling.ConnectAsync,
        };
    }

    private static CoapConnectionException Explain(
        Uri uri, ClientWebSocket? webSocket, SocketDialer dialling, TlsServerCertificateCheck check,
        Exception exception)
    {
        if (dialling.Failure is { } failure)
        {
            return ConnectFailureMessage.Of(dialling.Remote, failure);
        }

        if (check.IsRefused)
        {
            return TlsFailureMessage.OfClient(dialling.Remote, uri.IdnHost, check, exception, null);
        }

        if (exception is WebSocketException { WebSocketErrorCode: WebSocketError.UnsupportedProtocol })
        {
            return WebSocketOpening.NotCoap(uri, exception);
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
        return new CoapConnectionException(CoapError.ConnectFailed,
            $"No WebSocket to {uri}: {TlsFailureMessage.Words(exception)}{advice}", exception);
    }

    private sealed class Opening(
        ClientWebSocketOpener sockets, Uri uri, SocketDialer dialling, TlsServerCertificateCheck check, HttpMessageInvoker invoker)
        : WebSocketOpening
    {
        public override CoapAddress Local => dialling.Local;

        public override Task ConnectAsync(ClientWebSocket webSocket, CancellationToken cancellationToken)
        {
            sockets.Prepare(webSocket.Options);
            return webSocket.ConnectAsync(uri, invoker, cancellationToken);
        }

        public override CoapException Explain(ClientWebSocket? webSocket, Exception exception) =>
            ClientWebSocketOpener.Explain(uri, webSocket, dialling, check, exception);

        public override void Dispose() => invoker.Dispose();
    }

    /// <summary>Opens the socket of one WebSocket: to the resolved address of the host, or to a proxy.</summary>
    private sealed class SocketDialer(ConnectProgressTable.Opening opening, IPAddress? local, Uri uri)
    {
        public CoapAddress Remote { get; } = opening.Remote;

        public CoapAddress Local { get; private set; }

        public SocketException? Failure { get; private set; }

        public async ValueTask<Stream> ConnectAsync(SocketsHttpConnectionContext context, CancellationToken cancellationToken)
        {
            DnsEndPoint wanted = context.DnsEndPoint;
            bool isServer = wanted.Port == uri.Port
                && string.Equals(wanted.Host.Trim('[', ']'), uri.IdnHost.Trim('[', ']'), StringComparison.OrdinalIgnoreCase);
            Socket socket = isServer
                ? new Socket(
                    Remote.IsIPv4 ? AddressFamily.InterNetwork : AddressFamily.InterNetworkV6, SocketType.Stream, ProtocolType.Tcp)
                : new Socket(SocketType.Stream, ProtocolType.Tcp);
            try
            {
                socket.NoDelay = true;
                if (local is not null)
                {
                    socket.Bind(new IPEndPoint(local, 0));
                }

                await socket.ConnectAsync(isServer ? Remote.ToIPEndPoint() : wanted, cancellationToken).ConfigureAwait(false);
                Local = CoapAddress.FromIPEndPoint((IPEndPoint)socket.LocalEndPoint!);
                opening.OnConnected(uri.Scheme == "wss" ? CoapTimeoutStep.TlsHandshake : CoapTimeoutStep.WebSocketHandshake);
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
