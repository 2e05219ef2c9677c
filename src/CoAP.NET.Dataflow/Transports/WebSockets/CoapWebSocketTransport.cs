using System.Net;
using System.Net.WebSockets;

namespace CoAP.NET.Transports;

/// <summary>
/// CoAP over WebSockets (RFC 8323 section 4): opens them as a client, and has those that a web server accepted
/// (<see cref="CoapEndpoint.AcceptWebSocketAsync"/>). It binds nothing itself. An endpoint makes one by itself where it needs one.
/// </summary>
public sealed class CoapWebSocketTransport : CoapStreamTransport
{
    /// <summary>The sub-protocol that the two ends agree on (RFC 8323 section 4.1).</summary>
    public const string SubProtocol = "coap";

    private readonly CoapWebSocketTransportOptions _options;
    private readonly WebSocketConnector _connector;
    private readonly TransportLife<HostEngine> _life = new();

    /// <summary>Makes a transport.</summary>
    /// <param name="options">How it works; null: all defaults.</param>
    public CoapWebSocketTransport(CoapWebSocketTransportOptions? options = null)
    {
        _options = (options ?? new CoapWebSocketTransportOptions()).Clone();
        _connector = new WebSocketConnector(_options);
    }

    /// <summary><c>coap+ws</c>, or <c>coaps+ws</c> with TLS.</summary>
    public override string Scheme => _options.UseTls ? "coaps+ws" : "coap+ws";

    /// <inheritdoc/>
    public override bool IsSecure => _options.UseTls;

    /// <summary>True: each WebSocket message is a frame.</summary>
    public override bool HasMessages => true;

    /// <summary>True: by the Host header (RFC 8323 section 8.5).</summary>
    public override bool TellsServerName => true;

    /// <summary>Empty: the web server binds.</summary>
    public override IReadOnlyList<CoapAddress> LocalAddresses => [];

    private HostEngine StartedEngine =>
        _life.Engine ?? throw new InvalidOperationException("Start the transport before it has connections.");

    /// <inheritdoc/>
    /// <exception cref="InvalidOperationException">It was started before.</exception>
    public override ValueTask StartAsync(ICoapStreamContext context, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(context);
        return _life.StartAsync(this, () => new HostEngine(this, context, _options.Streams), cancellationToken);
    }

    /// <inheritdoc/>
    /// <exception cref="InvalidOperationException">The transport was not started.</exception>
    public override ValueTask<CoapConnection> ConnectAsync(CoapAddress remote, string? serverName, CancellationToken cancellationToken) =>
        _connector.ConnectAsync(StartedEngine, remote, null, serverName, cancellationToken);

    /// <inheritdoc/>
    /// <exception cref="InvalidOperationException">The transport was not started.</exception>
    public override ValueTask<CoapConnection> ConnectFromAsync(CoapAddress remote, IPAddress local, string? serverName,
        CancellationToken cancellationToken) =>
            _connector.ConnectAsync(StartedEngine, remote, local, serverName, cancellationToken);

    /// <inheritdoc/>
    public override CoapConnectProgress? ProgressOf(CoapAddress remote, string? serverName) =>
        _life.Engine?.Host.Openings.Find(remote, serverName);

    /// <summary>Takes over a WebSocket that was accepted.</summary>
    /// <param name="webSocket">The WebSocket.</param>
    /// <param name="accepted">What is known of it.</param>
    /// <param name="released">Ends when nobody uses it any more.</param>
    /// <returns>The connection; null when it is not taken, and then it was closed.</returns>
    internal CoapConnection? Accept(WebSocket webSocket, CoapAcceptedConnection accepted, out Task released)
    {
        WebSocketLink link = new(webSocket, CoapAddress.FromIPEndPoint(accepted.Remote), owned: null, accepted.Abort);
        released = link.Released;
        return StartedEngine.Accept(link, accepted);
    }

    /// <summary>Closes all connections. May be called, and waited for, inside a handler.</summary>
    /// <returns>A task that ends when nothing more is received.</returns>
    public override ValueTask DisposeAsync() => _life.DisposeAsync();
}
