using System.Net;
using System.Net.WebSockets;
using CoAP.NET.Cryptography;
using CoAP.NET.Transports.Streams;

namespace CoAP.NET.Transports.WebSockets;

/// <summary>
/// Opens WebSockets according to RFC 8323 section 4.1: at the well-known path, with <c>coap</c> as the only subprotocol. It uses the
/// platform's HTTP, or the browser.
/// </summary>
internal sealed class WebSocketConnector
{
    private readonly CoapWebSocketTransportOptions _options;

    // Null in a browser.
    private readonly ClientWebSocketOpener? _http;

    public WebSocketConnector(CoapWebSocketTransportOptions options)
    {
        _options = options;
        if (OperatingSystem.IsBrowser() || options.IsInBrowser)
        {
            BrowserWebSocketOpening.Check(options);
        }
        else
        {
            _http = new ClientWebSocketOpener(options);
        }
    }

    public async ValueTask<CoapConnection> ConnectAsync(
        NonListeningTransportEngine engine, CoapAddress remote, IPAddress? local, string? serverName,
        CancellationToken cancellationToken)
    {
        try
        {
            // Also without TLS: .NET computes the handshake of a WebSocket with SHA-1.
            return !PlatformCryptographyAvailability.IsAvailable
                ? throw new CoapException(PlatformCryptographyAvailability.Missing(_options.UseTls ? "coaps+ws" : "coap+ws"))
                : await OpenAsync(engine, remote, local, serverName, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is not OperationCanceledException)
        {
            engine.Context.Counters.Add(CoapCounter.ConnectionsFailed);
            throw;
        }
    }

    private async Task<CoapConnection> OpenAsync(
        NonListeningTransportEngine engine, CoapAddress remote, IPAddress? local, string? serverName,
        CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        ICoapStreamTransportContext context = engine.Context;
        CoapStreamOptions streams = _options.Streams;
        using CancellationTokenSource timeout = new(TimeFor(streams), context.TimeProvider);
        using CancellationTokenSource any = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, timeout.Token,
            engine.Stopping);
        Uri uri = UriOf(remote, serverName);
        using ConnectProgressTable.Opening progress = engine.Host.ConnectProgressTable.Begin(remote, serverName);
#pragma warning disable CA2000 // the connection owns it
        WebSocketOpening opening = OpeningOf(progress, local, uri);
#pragma warning restore CA2000
        ClientWebSocket? webSocket = new();
        try
        {
            await opening.ConnectAsync(webSocket, any.Token).ConfigureAwait(false);
            if (webSocket.SubProtocol != CoapWebSocketTransport.SubProtocol)
            {
                throw WebSocketOpening.NotCoap(uri, null);
            }

            WebSocketByteTransport link = new(webSocket, remote, opening, host: opening.Host);
            AsyncIOConnection connection = new(engine.Host, link, remote, opening.Local, isInitiator: true, serverName: serverName);
            webSocket = null;
            return engine.Host.TryOpen(connection) ? connection : throw ConnectFailureMessage.Refused(remote, serverName);
        }
#pragma warning disable CA1031 // callbacks of the application run here and may throw anything
        catch (Exception exception) when (exception is not CoapException)
#pragma warning restore CA1031
        {
            cancellationToken.ThrowIfCancellationRequested();
            throw engine.Stopping.IsCancellationRequested ? ConnectFailureMessage.Stopped(remote, serverName)
                : timeout.IsCancellationRequested ? new CoapConnectionException(
                    CoapError.ConnectFailed,
                    $"No WebSocket to {uri} within {TimeFor(streams).TotalSeconds:0.###} s (ConnectTimeout and HandshakeTimeout). Check "
                        + "the address, and that a web server answers there.",
                    exception)
                : opening.Explain(webSocket, exception);
        }
        finally
        {
            if (webSocket is not null)
            {
                webSocket.Dispose();
                opening.Dispose();
            }
        }
    }

    private WebSocketOpening OpeningOf(ConnectProgressTable.Opening progress, IPAddress? local, Uri uri)
    {
        if (!OperatingSystem.IsBrowser() && _http is { } http)
        {
            return http.Begin(progress, local, uri);
        }

        return local is null
            ? new BrowserWebSocketOpening(uri)
            : throw new CoapConnectionException(
                CoapError.ConnectFailed, "A page of a browser cannot choose the LocalAddress of its WebSockets. Leave it out.");
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
}
