using CoAP.NET.Composition;
using CoAP.NET.Connections;
using CoAP.NET.Messaging;
using CoAP.NET.Options;
using CoAP.NET.Signalling;
using CoAP.NET.Transports;

namespace CoAP.NET;

/// <summary>
/// Somebody we talk to: who sent a request, or whom we asked. A server asks the device back over it, from the port that the device knows.
/// </summary>
public sealed class CoapPeer : ICoapObserver
{
    private readonly EndpointCore _endpoint;
    private CoapChannel _channel;

    private CoapPeer(EndpointCore endpoint, CoapChannel channel)
    {
        _endpoint = endpoint;
        _channel = channel;
    }

    /// <summary>The peer's address.</summary>
    public CoapAddress Address => Channel.Remote;

    /// <summary>Our own address towards the peer; the wildcard when the operating system chooses.</summary>
    public CoapAddress LocalAddress => Channel.Local;

    /// <summary>The scheme by which it is reached, such as <c>coap</c>.</summary>
    public string Scheme => Channel.Transport.Scheme;

    /// <summary>
    /// The identity of the peer, as its transport or the web application gives it: such as a <see cref="CoapTlsIdentity"/>; null when there
    /// is none. <see cref="IsKnown"/> says whether it means somebody.
    /// </summary>
    public object? Identity => Channel.Identity;

    /// <summary>
    /// Whether the peer has proven who it is. False without <see cref="Identity"/>, for one with <see cref="ICoapPeerIdentity.IsKnown"/>
    /// false, such as a TLS client without a certificate, and for a <see cref="System.Security.Claims.ClaimsPrincipal"/>,
    /// <see cref="System.Security.Principal.IPrincipal"/> or <see cref="System.Security.Principal.IIdentity"/> that is not authenticated.
    /// </summary>
    public bool IsKnown => PeerIdentity.IsKnown(Channel.Identity);

    /// <summary>Of which source it is, by which shares of bounds count; limits of your own may count by it as well.</summary>
    public CoapSource Source => Channel.Shard.Environment.Sources.Of(Channel.Remote, Channel.Identity);

    /// <summary>Whether it was proven that the peer receives at its address.</summary>
    public bool IsVerified => Channel.IsVerified;

    /// <summary>When the last datagram came from it.</summary>
    public DateTimeOffset LastSeen
    {
        get
        {
            CoapChannel channel = Channel.Wire;
            CoapEnvironment environment = channel.Shard.Environment;
            long seen = Math.Max(channel.LastSeen, channel.SignallingState?.LastHeard ?? long.MinValue);
            return environment.TimeProvider.GetUtcNow() - TimeSpan.FromTicks(environment.Now - seen);
        }
    }

    /// <summary>The transmission parameters towards it. May be set at any time; messages under way keep theirs.</summary>
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
    /// The smoothed round-trip time to it (RFC 6298), from Confirmable messages of ours that it acknowledged or rejected and that were sent
    /// only once; null without one. With the time that the peer took to acknowledge.
    /// </summary>
    public TimeSpan? RoundTripTime
    {
        get
        {
            CoapChannel channel = Channel;
            lock (channel.Shard.Gate)
            {
                return MessageLayer.RttOf(channel);
            }
        }
    }

    /// <summary>
    /// Whether the connection to the peer stands; always false on datagram transports, which have none. A peer that had connected to us can
    /// only be asked while it is connected. One that we connected to is connected to again by the next request.
    /// </summary>
    public bool IsConnected => PeerEvents.IsConnected(Channel);

    /// <summary>
    /// Cancelled when the connection to the peer ends, as the requests on it fail; already, when it has ended and there is no new one. Of
    /// the connection that stands when this is read: a later one has another token. Never cancelled on datagram transports.
    /// </summary>
    public CancellationToken Disconnected => _endpoint.Peers.EndOf(Channel);

    /// <summary>
    /// Sends a request to the peer. Its URI may be a path, such as <c>/3/0</c>, or absolute; it goes to this peer in any case.
    /// </summary>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response, an error response too.</returns>
    /// <exception cref="CoapException">No response came; the derived type says why.</exception>
    public Task<CoapResponse> SendAsync(CoapRequest request, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(request);
        return _endpoint.Requester.SendAsync(_channel, request, cancellationToken);
    }

    /// <summary>
    /// Observes a resource of the peer (RFC 7641). The URI may be a path, such as <c>/3303/0/5700</c>, or absolute; it is asked of this
    /// peer in any case.
    /// </summary>
    /// <inheritdoc/>
    public Task<CoapObservation> ObserveAsync(CoapRequest request, CoapObserveOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(request);
        return _endpoint.ObservationRequester.ObserveAsync(_channel, request, options, cancellationToken);
    }

    /// <summary>
    /// Asks the peer whether it is there: by an Empty Confirmable message that it answers with a Reset (RFC 7252 section 4.3), on a
    /// connection by a Ping, whose Pong may take <see cref="CoapStreamOptions.PongTimeout"/> (RFC 8323 section 5.4).
    /// </summary>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The round-trip time.</returns>
    /// <exception cref="CoapException">The peer did not answer; the derived type says why.</exception>
    public Task<TimeSpan> PingAsync(CancellationToken cancellationToken = default) =>
        _endpoint.Requester.PingAsync(_channel, default, cancellationToken);

    /// <summary>Asks the peer whether it is there, for some time at most: on a connection instead of
    /// <see cref="CoapStreamOptions.PongTimeout"/>, and with opening another one where it has ended.</summary>
    /// <param name="timeout">How long it may take; <see cref="Timeout.InfiniteTimeSpan"/> for no limit but that of retransmission.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The round-trip time.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The time is not above zero and not infinite.</exception>
    /// <exception cref="CoapTimeoutException">The peer did not answer in time.</exception>
    /// <exception cref="CoapException">The ping could not be sent; the derived type says why.</exception>
    public Task<TimeSpan> PingAsync(TimeSpan timeout, CancellationToken cancellationToken = default) =>
        _endpoint.Requester.PingAsync(_channel, RequestTime.Of(timeout), cancellationToken);

    /// <summary>
    /// Waits until something of the peer comes next: a message, or a copy of one; on a connection no signalling (RFC 8323 section 5). For
    /// devices that sleep, which can be asked once they have said something. While nobody waits it costs nothing.
    /// </summary>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>A task that ends then. It also ends when the peer is forgotten, as its connection ended or it was silent for long: see
    /// <see cref="IsConnected"/> and <see cref="LastSeen"/>.</returns>
    public Task WhenHeardAsync(CancellationToken cancellationToken = default) => Channel.Wire.NextHeard.WaitAsync(cancellationToken);

    /// <summary>
    /// Ends the connection to the peer in order (RFC 8323 section 5.5): Release is sent, what either side has under way is finished, and
    /// then the peer closes, or we do after <see cref="CoapStreamOptions.ReleaseTimeout"/>. From now on no new requests of ours go out on
    /// it. The peer is asked, not made, to do what the options say.
    /// </summary>
    /// <param name="holdOff">How long the peer is not to connect again; 0 to 16,777,215 s, rounded up to whole seconds. Null: nothing is
    /// said.</param>
    /// <param name="alternativeAddresses">Where it is to connect instead, each as host and optional port, such as
    /// <c>[2001:db8::1]:5683</c>; 1 to 255 bytes. Null: nothing is said.</param>
    /// <param name="cancellationToken">Stops waiting; the connection ends nevertheless.</param>
    /// <returns>A task that ends when the connection has ended.</returns>
    /// <exception cref="InvalidOperationException">The peer is not reached by a connection, as on coap: there is nothing to end. Or it is a
    /// session of coaps, in which nothing can be said to the peer: leave the options out.</exception>
    /// <exception cref="ArgumentOutOfRangeException">A time or an address is out of its range.</exception>
    public Task ReleaseAsync(TimeSpan? holdOff = null, IEnumerable<string>? alternativeAddresses = null,
        CancellationToken cancellationToken = default)
    {
        CoapChannel channel = _channel;
        if (!channel.IsConnection)
        {
            throw new InvalidOperationException($"{channel} is not reached by a connection, so there is nothing to release.");
        }

        if (!channel.IsReliable && (holdOff is not null || alternativeAddresses is not null))
        {
            throw new InvalidOperationException(
                $"{channel} is a session over datagrams, whose end has no options. Leave holdOff and alternativeAddresses out.");
        }

        HoldOff? option = null;
        if (holdOff is { } time)
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(time, TimeSpan.Zero, nameof(holdOff));
            ArgumentOutOfRangeException.ThrowIfGreaterThan(time, TimeSpan.FromSeconds(0xff_ffff), nameof(holdOff));
            option = new HoldOff((uint)Math.Ceiling(time.TotalSeconds));
        }

        return _endpoint.Peers.ReleaseAsync(channel, option,
            [.. (alternativeAddresses ?? []).Select(static address => new AlternativeAddress(address))], cancellationToken);
    }

    /// <summary>Scheme and address.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => _channel.ToString();

    /// <summary>
    /// The name by which the connection or session of the peer is known in another process that goes on with it
    /// (<see cref="CoapConnection.DurableId"/>); empty where none can.
    /// </summary>
    public ReadOnlyMemory<byte> DurableId => Connection?.DurableId ?? default;

    /// <summary>
    /// Whether the connection or session of the peer was opened with another process or server, and taken over here
    /// (<see cref="CoapConnection.IsTakenOver"/>).
    /// </summary>
    public bool IsTakenOver => Connection?.IsTakenOver == true;

    /// <summary>The connection or session to the peer; null where a peer is an address.</summary>
    internal CoapConnection? Connection => Channel.Connection;

    /// <summary>Puts it back as an observer.</summary>
    internal CoapObserverRestore Restore(CoapKeptObserver observer, EndpointCore endpoint) =>
        endpoint.RestoredObservers.Restore(ChannelAt(endpoint), observer);

    /// <summary>The endpoint whose peer it is.</summary>
    internal EndpointCore Endpoint => _endpoint;

    /// <summary>Where it is, for what was kept of an endpoint.</summary>
    /// <exception cref="ArgumentException">It is a peer of another one.</exception>
    internal CoapChannel ChannelAt(EndpointCore endpoint) => _endpoint == endpoint
        ? Channel
        : throw new ArgumentException($"{this} is a peer of another endpoint. Take one of this endpoint's ConnectedPeers.",
            nameof(endpoint));

    // A peer that was idle for long may have been forgotten, and be known by another channel since it came back.
    private CoapChannel Channel
    {
        get
        {
            if (_channel.IsForgotten)
            {
                _channel = _endpoint.Channels.Current(_channel);
            }

            return _channel;
        }
    }

    /// <summary>The peer at the other end of a channel, for protections and blocks, which see channels.</summary>
    /// <param name="channel">The channel.</param>
    /// <returns>The peer.</returns>
    public static CoapPeer Of(CoapChannel channel)
    {
        ArgumentNullException.ThrowIfNull(channel);
        return channel.Face ?? channel.StoreFace(new CoapPeer(channel.Shard.Endpoint!, channel));
    }
}
