using System.Net.WebSockets;
using CoAP.NET.Transports.Tcp;

namespace CoAP.NET.Transports.WebSockets;

/// <summary>
/// Opens a WebSocket as a page of a browser does: the browser resolves the name, checks the certificate, and sets the header fields. It
/// tells a page neither addresses nor the reason of a failure.
/// </summary>
internal sealed class BrowserWebSocketOpening(Uri uri) : WebSocketOpening
{
    public override string Host => uri.Authority;

    /// <summary>Refuses options that a browser would silently ignore.</summary>
    /// <exception cref="PlatformNotSupportedException">There is such an option.</exception>
    public static void Check(CoapWebSocketTransportOptions options)
    {
        CoapWebSocketOptions wishes = options.WebSockets;
#pragma warning disable CA1416 // it only checks whether the application set them
        string? name = wishes.Headers.Count > 0 ? nameof(wishes.Headers)
            : wishes.Proxy is not null ? nameof(wishes.Proxy)
            : wishes.Credentials is not null ? nameof(wishes.Credentials)
            : wishes.Configure is not null ? nameof(wishes.Configure)
            : options.Tls is { Client: not null } ? "Tls"
            : null;
#pragma warning restore CA1416
        if (name is not null)
        {
            throw new PlatformNotSupportedException(
                $"{name} cannot be set for WebSockets in a browser, which chooses header fields, proxy and certificates itself. A server "
                    + "can know the user of the page by its cookies, or by a token in the query of CoapWebSocketOptions.Path.");
        }
    }

    public override Task ConnectAsync(ClientWebSocket webSocket, CancellationToken cancellationToken)
    {
        webSocket.Options.AddSubProtocol(CoapWebSocketTransport.SubProtocol);
        return webSocket.ConnectAsync(uri, cancellationToken);
    }

    public override CoapException Explain(ClientWebSocket? webSocket, Exception exception) => new CoapConnectionException(
        CoapError.ConnectFailed,
        $"No WebSocket to {uri}: {TlsFailureMessage.Words(exception)} The browser reveals no more to a page; its console may. Check the "
            + "address, that a server with CoAP over WebSockets listens there, and that it allows the origin of the page "
            + "(AllowedOrigins). A page that was loaded by https can use coaps+ws only.",
        exception);

    public override void Dispose()
    {
    }
}
