using System.Net;
using CoAP.NET.Errors;
using CoAP.NET.Transports;

namespace CoAP.NET;

/// <summary>A remote endpoint that sent us a request, or that we sent one to.</summary>
/// <remarks>A server uses it to send requests to a device, from the port that the device knows.</remarks>
/// <example>
/// <code>
/// server.MapPost("/register", async (request, cancellationToken) =&gt;
/// {
///     CoapResponse model = await request.Peer.GetAsync("/model", cancellationToken);
///     return CoapResults.Created($"/devices/{model.GetText()}");
/// });
/// </code>
/// </example>
public sealed class CoapPeer : ICoapClient, IPeerFeatureState
{
    private readonly IPeerActions _endpoint;
    private CoapChannel _channel;

    // The caller that waits for the next message; null for none.
    private TaskCompletionSource? _hearing;

    private CoapPeer(IPeerActions endpoint, CoapChannel channel)
    {
        _endpoint = endpoint;
        _channel = channel;
    }

    /// <summary>The peer's address and port.</summary>
    /// <remarks>Each call creates it. Over UDP an address proves nothing: see <see cref="IsVerified"/>.</remarks>
    public IPEndPoint RemoteEndPoint => Address.ToIPEndPoint();

    /// <summary>Our own address and port towards the peer; the wildcard address if the operating system chooses.</summary>
    /// <remarks>Each call creates it.</remarks>
    public IPEndPoint LocalEndPoint => LocalAddress.ToIPEndPoint();

    internal CoapAddress Address => Channel.Remote;

    internal CoapAddress LocalAddress => Channel.Local;

    /// <summary>The scheme of its transport, such as <c>coap</c>.</summary>
    public string Scheme => Channel.Transport.Scheme;

    /// <summary>
    /// The identity of the peer, from its transport or the web application, such as a <see cref="CoapTlsPeerIdentity"/>; null if there is
    /// none.
    /// </summary>
    /// <remarks><see cref="IsKnown"/> says whether it is authenticated.</remarks>
    public ICoapPeerIdentity? Identity => Channel.Identity;

    /// <summary>
    /// Who the peer is, by what it has proven: equal for the same peer over any number of connections, transports and restarts; null for a
    /// peer that has proven nothing that distinguishes it.
    /// </summary>
    /// <remarks>As text it is stable, for storage.</remarks>
    public CoapPeerId? Id => Channel.PeerId;

    /// <summary>Whether the peer has proven its identity.</summary>
    /// <remarks>
    /// False without <see cref="Identity"/>, and with <see cref="ICoapPeerIdentity.IsKnown"/> false, such as a TLS client without a
    /// certificate or a <see cref="CoapUserPeerIdentity"/> that is not authenticated.
    /// </remarks>
    public bool IsKnown => Channel.Identity is { IsKnown: true };

    /// <summary>The source of the peer, to which shares of limits apply; custom limits may use it too.</summary>
    public CoapQuotaSource Source => Channel.Shard.Environment.Sources.Of(Channel.Remote, Channel.PeerId);

    /// <summary>Whether the peer has proven that it receives at its address.</summary>
    public bool IsVerified => Channel.IsVerified;

    /// <summary>The time of its last datagram.</summary>
    public DateTimeOffset LastSeen
    {
        get
        {
            CoapChannel channel = Channel.Wire;
            CoapEnvironment environment = channel.Shard.Environment;
            return environment.TimeProvider.GetUtcNow() - TimeSpan.FromTicks(environment.Now - _endpoint.LastHeard(channel));
        }
    }

    /// <summary>The transmission parameters towards the peer.</summary>
    /// <remarks>Can be set at any time; running messages keep the previous ones.</remarks>
    public CoapTransmissionParameters Parameters
    {
        get => Channel.Parameters;
        set
        {
            ArgumentNullException.ThrowIfNull(value);
            Channel.Parameters = value;
        }
    }

    /// <summary>
    /// The smoothed round-trip time to the peer (RFC 6298), from Confirmable messages of ours that were sent only once and acknowledged or
    /// rejected; null without one.
    /// </summary>
    /// <remarks>It includes the time that the peer took to acknowledge.</remarks>
    public TimeSpan? RoundTripTime => _endpoint.RoundTripTime(Channel);

    /// <summary>Whether there is a connection to the peer; always false on datagram transports, which have none.</summary>
    /// <remarks>
    /// A peer that connected to us can only receive requests while it is connected. The next request to a peer that we connected to opens a
    /// new connection.
    /// </remarks>
    public bool IsConnected => _endpoint.IsConnected(Channel);

    /// <summary>
    /// Cancelled when the connection to the peer ends and its requests fail; already cancelled if it has ended and there is no new one.
    /// </summary>
    /// <remarks>It belongs to the current connection: a later one has another token. Never cancelled on datagram transports.</remarks>
    public CancellationToken Disconnected => _endpoint.EndOf(Channel);

    /// <summary>Sends a request to the peer.</summary>
    /// <remarks>Its URI may be a path, such as <c>/3/0</c>, or absolute; it always goes to this peer.</remarks>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response, which may be an error response.</returns>
    /// <exception cref="CoapException">No response arrived; the derived type says why.</exception>
    public Task<CoapResponse> SendAsync(CoapRequest request, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(request);
        return _endpoint.SendAsync(_channel, request, cancellationToken);
    }

    /// <summary>Observes a resource of the peer (RFC 7641).</summary>
    /// <remarks>The URI may be a path, such as <c>/3303/0/5700</c>, or absolute; the request always goes to this peer.</remarks>
    /// <inheritdoc/>
    public Task<CoapObservation> ObserveAsync(CoapRequest request, CoapObservationOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(request);
        return _endpoint.ObserveAsync(_channel, request, options, cancellationToken);
    }

    /// <summary>
    /// Checks whether the peer is reachable: with an Empty Confirmable message that it answers with a Reset (RFC 7252 section 4.3), or on a
    /// connection with a Ping, whose Pong may take <see cref="CoapStreamOptions.PongTimeout"/> (RFC 8323 section 5.4).
    /// </summary>
    /// <param name="timeout">
    /// The time limit; null for none of its own, <see cref="Timeout.InfiniteTimeSpan"/> for no limit except that of retransmission. On a
    /// connection it replaces <see cref="CoapStreamOptions.PongTimeout"/>, and includes opening another connection if the previous one has
    /// ended.
    /// </param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The round-trip time.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The time is neither above zero nor infinite.</exception>
    /// <exception cref="CoapTimeoutException">The peer did not answer in time.</exception>
    /// <exception cref="CoapException">The ping could not be sent; the derived type says why.</exception>
    public Task<TimeSpan> PingAsync(TimeSpan? timeout = null, CancellationToken cancellationToken = default) =>
        _endpoint.PingAsync(_channel, ClientRequestTimeLimit.Of(timeout), cancellationToken);

    /// <summary>
    /// Waits for the next message of the peer, or a copy of one; on a connection, signalling messages (RFC 8323 section 5) do not count.
    /// </summary>
    /// <remarks>For sleeping devices, which can be reached after they sent something. It costs nothing without a waiting caller.</remarks>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>A task that completes then. It also completes when the endpoint forgets the peer, because its connection ended or it was
    /// silent for long: see <see cref="IsConnected"/> and <see cref="LastSeen"/>.</returns>
    public Task WhenHeardAsync(CancellationToken cancellationToken = default)
    {
        CoapChannel wire = Channel.Wire;
        return Of(wire).NextHeard(wire).WaitAsync(cancellationToken);
    }

    /// <summary>Handles a message of the peer, its first contact, or that it is forgotten or was found again.</summary>
    internal void OnHeard()
    {
        if (_hearing is not null)
        {
            // Locks may be held: the waiter continues on another thread.
            Interlocked.Exchange(ref _hearing, null)?.TrySetResult();
        }
    }

    /// <summary>
    /// Closes the connection to the peer gracefully (RFC 8323 section 5.5): the endpoint sends Release, both sides finish running
    /// exchanges, and then the peer closes, or the endpoint does after <see cref="CoapStreamOptions.ReleaseTimeout"/>.
    /// </summary>
    /// <remarks>The connection takes no new requests of ours. The options are a request to the peer, which it need not follow.</remarks>
    /// <param name="holdOff">How long the peer should not connect again; 0 to 16,777,215 s, rounded up to whole seconds. Null: the option
    /// is absent.</param>
    /// <param name="alternativeAddresses">The addresses to connect to instead, each as host and optional port, such as
    /// <c>[2001:db8::1]:5683</c>; 1 to 255 bytes. Null: the option is absent.</param>
    /// <param name="cancellationToken">Stops waiting; the connection still ends.</param>
    /// <returns>A task that completes when the connection has ended.</returns>
    /// <exception cref="InvalidOperationException">The peer has no connection to end, as on coap. Or it is a session of coaps, which has no
    /// message for the options: leave them out.</exception>
    /// <exception cref="ArgumentOutOfRangeException">A time or an address is out of range.</exception>
    public Task ReleaseAsync(TimeSpan? holdOff = null, IEnumerable<string>? alternativeAddresses = null,
        CancellationToken cancellationToken = default)
    {
        CoapChannel channel = _channel;
        if (!channel.IsConnection)
        {
            throw new InvalidOperationException($"{channel} has no connection, so there is nothing to release.");
        }

        if (!channel.IsReliable && (holdOff is not null || alternativeAddresses is not null))
        {
            throw new InvalidOperationException(
                $"{channel} is a session over datagrams, whose end carries no options. Leave holdOff and alternativeAddresses out.");
        }

        HoldOffOption? option = null;
        if (holdOff is { } time)
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(time, TimeSpan.Zero, nameof(holdOff));
            ArgumentOutOfRangeException.ThrowIfGreaterThan(time, TimeSpan.FromSeconds(0xff_ffff), nameof(holdOff));
            option = new HoldOffOption((uint)Math.Ceiling(time.TotalSeconds));
        }

        return _endpoint.ReleaseAsync(channel, option,
            [.. (alternativeAddresses ?? []).Select(static address => new AlternativeAddressOption(address))], cancellationToken);
    }

    /// <summary>Returns scheme and address.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => _channel.ToString();

    /// <summary>
    /// The name of the connection or session of the peer in another process that takes it over (<see cref="CoapConnection.DurableId"/>);
    /// empty if none can.
    /// </summary>
    public ReadOnlyMemory<byte> DurableId => Connection?.DurableId ?? default;

    /// <summary>
    /// Whether another process or server opened the connection or session of the peer, and this one took it over
    /// (<see cref="CoapConnection.IsTakenOver"/>).
    /// </summary>
    internal bool IsTakenOver => Connection?.IsTakenOver == true;

    /// <summary>The connection or session to the peer; null if the peer is identified by its address.</summary>
    internal CoapConnection? Connection => Channel.Connection;

    /// <summary>Takes over an observation of an earlier process. See <see cref="CoapEndpoint.ResumeObservationAsync"/>.</summary>
    internal Task<CoapObservation> ResumeObservationAsync(
        CoapExportedObservation state, CoapObservationOptions? options, CancellationToken cancellationToken) =>
        _endpoint.ResumeObservationAsync(state, options, cancellationToken);

    /// <summary>Returns the channel of the peer at an endpoint, for stored observations and observers.</summary>
    /// <exception cref="ArgumentException">The peer belongs to another endpoint.</exception>
    internal CoapChannel ChannelAt(IPeerActions endpoint) => _endpoint == endpoint
        ? Channel
        : throw new ArgumentException($"{this} belongs to another endpoint. Use one of this endpoint's ConnectedPeers.",
            nameof(endpoint));

    // Completes with the next message, or when the peer is forgotten.
    private Task NextHeard(CoapChannel channel)
    {
        TaskCompletionSource made = new(TaskCreationOptions.RunContinuationsAsynchronously);
        TaskCompletionSource waiting = Interlocked.CompareExchange(ref _hearing, made, null) ?? made;

        // From here on, a thread that stores a message's time or forgets the peer sees the waiter, or the caller sees what it stored. A
        // processor may read ahead of its own writes, and fences in CoapChannel.LastSeen would cost every datagram.
        Interlocked.MemoryBarrierProcessWide();
        if (channel.IsForgotten)
        {
            // A thread that forgot the peer may have checked before.
            OnHeard();
        }

        return waiting.Task;
    }

    // The endpoint may have forgotten a peer that was idle for long, and created another channel when it came back.
    private CoapChannel Channel => _channel.IsForgotten ? _channel = _endpoint.Current(_channel) : _channel;

    /// <summary>Returns the peer of a channel, for protections and blocks, which see channels.</summary>
    /// <param name="channel">The channel.</param>
    /// <returns>The peer.</returns>
    public static CoapPeer Of(CoapChannel channel)
    {
        ArgumentNullException.ThrowIfNull(channel);
        return channel.FeatureState<CoapPeer>(PeerFeatureKind.Application) ?? channel.StoreFeatureState(PeerFeatureKind.Application,
            new CoapPeer(channel.Shard.Endpoint, channel));
    }
}
