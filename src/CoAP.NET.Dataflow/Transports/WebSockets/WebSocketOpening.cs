using System.Net.WebSockets;

namespace CoAP.NET.Transports.WebSockets;

/// <summary>Opens one WebSocket with the API of a platform. Objects that it creates for that are disposed with the WebSocket.</summary>
internal abstract class WebSocketOpening : IDisposable
{
    /// <summary>The bound local address; the default if it is unknown.</summary>
    public virtual CoapAddress Local => default;

    /// <summary>The host and port of the peer, if a browser opens the WebSocket; null elsewhere.</summary>
    public virtual string? Host => null;

    /// <summary>Describes a server that does not select the subprotocol.</summary>
    public static CoapConnectionException NotCoap(Uri uri, Exception? exception) => new(
        CoapError.ConnectFailed,
        $"No WebSocket to {uri}: the server did not select the sub-protocol coap (RFC 8323 section 4.1). Does a CoAP server listen there?",
        exception);

    public abstract Task ConnectAsync(ClientWebSocket webSocket, CancellationToken cancellationToken);

    /// <summary>Describes why it could not be opened.</summary>
    /// <param name="webSocket">The WebSocket; null when it was open.</param>
    /// <param name="exception">The exception of the platform, or of a callback of the application.</param>
    public abstract CoapException Explain(ClientWebSocket? webSocket, Exception exception);

    public abstract void Dispose();
}
