using System.Net;
using System.Net.WebSockets;
using CoAP.NET.Errors;
using CoAP.NET.Transports.Streams;

namespace CoAP.NET.Transports.WebSockets;

/// <summary>Runs CoAP over WebSockets (RFC 8323 section 4).</summary>
/// <remarks>
/// It opens WebSockets as a client, and takes those that a web server accepted (<see cref="CoapEndpoint.AcceptWebSocketAsync"/>). It binds
/// no address. An endpoint creates one when it needs it. In a browser the browser opens the WebSockets by the name of the host and does
/// not reveal its address, so <see cref="CoapPeer.RemoteEndPoint"/> is then <c>[::]</c> with the port.
/// </remarks>
internal sealed class CoapWebSocketTransport : CoapStreamTransport
{
    /// <summary>The subprotocol that client and server agree on (RFC 8323 section 4.1).</summary>
    public const string SubProtocol = "coap";

    private readonly CoapWebSocketTransportOptions _options;
    private readonly WebSocketConnector _connector;
    private readonly TransportLifetime<NonListeningTransportEngine> _life = new();

    /// <summary>Creates a transport.</summary>
    /// <param name="options">The options; null for the defaults.</param>
    /// <exception cref="PlatformNotSupportedException">In a browser: an option is set that a page cannot have.</exception>
    public CoapWebSocketTransport(CoapWebSocketTransportOptions? options = null)
    {
        _options = (options ?? new CoapWebSocketTransportOptions()).Clone();
        _connector = new WebSocketConnector(_options);
    }

    /// <summary>The scheme: <c>coap+ws</c>, or <c>coaps+ws</c> with TLS.</summary>
    public override string Scheme => _options.UseTls ? "coaps+ws" : "coap+ws";

    /// <inheritdoc/>
    public override bool IsSecure => _options.UseTls;

    /// <summary>True: each WebSocket message is a frame.</summary>
    public override bool HasMessages => true;

    /// <summary>True: with the Host header (RFC 8323 section 8.5).</summary>
    public override bool ProvidesServerName => true;

    /// <summary>Empty: the web server binds the addresses.</summary>
    public override IReadOnlyList<CoapAddress> LocalAddresses => [];

    private NonListeningTransportEngine StartedEngine =>
        _life.Engine ?? throw new InvalidOperationException("The transport is not started. Start it before it opens connections.");

    /// <inheritdoc/>
    /// <exception cref="InvalidOperationException">The transport was already started.</exception>
    public override ValueTask StartAsync(ICoapStreamTransportContext context, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(context);
        return _life.StartAsync(this, () => new NonListeningTransportEngine(this, context, _options.Streams), cancellationToken);
    }

    /// <inheritdoc/>
    /// <exception cref="InvalidOperationException">The transport is not started.</exception>
    /// <exception cref="CoapException">On Linux: there is no OpenSSL, which .NET needs for WebSockets.</exception>
    public override ValueTask<CoapConnection> ConnectAsync(CoapAddress remote, string? serverName, CancellationToken cancellationToken) =>
        _connector.ConnectAsync(StartedEngine, remote, null, serverName, cancellationToken);

    /// <inheritdoc/>
    /// <exception cref="InvalidOperationException">The transport is not started.</exception>
    /// <exception cref="CoapException">On Linux: there is no OpenSSL, which .NET needs for WebSockets.</exception>
    public override ValueTask<CoapConnection> ConnectFromAsync(CoapAddress remote, IPAddress local, string? serverName,
        CancellationToken cancellationToken) =>
            _connector.ConnectAsync(StartedEngine, remote, local, serverName, cancellationToken);

    /// <inheritdoc/>
    internal override CoapConnectProgress? ProgressOf(CoapAddress remote, string? serverName) =>
        _life.Engine?.Host.ConnectProgressTable.Find(remote, serverName);

    /// <summary>Takes over an accepted WebSocket.</summary>
    /// <param name="webSocket">The WebSocket.</param>
    /// <param name="accepted">The description of the connection.</param>
    /// <param name="released">Completes when the WebSocket is unused.</param>
    /// <returns>The connection; null when it is refused. A refused WebSocket is closed.</returns>
    internal CoapConnection? Accept(WebSocket webSocket, CoapAcceptedConnectionInfo accepted, out Task released)
    {
        WebSocketByteTransport link = new(webSocket, CoapAddress.FromIPEndPoint(accepted.Remote), owned: null, accepted.Abort);
        released = link.Released;
        return StartedEngine.Accept(link, accepted);
    }

    /// <summary>Closes all connections. A handler may call and await it.</summary>
    /// <returns>A task that completes when the transport receives nothing more.</returns>
    public override ValueTask DisposeAsync() => _life.DisposeAsync();
}
