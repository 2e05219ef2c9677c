using CoAP.NET.Channels;
using CoAP.NET.Messaging;
using CoAP.NET.Signalling;
using CoAP.NET.Transports;

namespace CoAP.NET;

/// <summary>
/// Somebody we talk to: who sent a request, or whom we asked. A server asks the device back over it, from the port that the device knows.
/// </summary>
public sealed partial class CoapPeer : ICoapObserver
{
    private readonly CoapEndpoint _endpoint;
    private CoapChannel _channel;

    private CoapPeer(CoapEndpoint endpoint, CoapChannel channel)
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
    /// The identity of the peer, as its transport or the web application gives it: such as a <see cref="CoapTlsIdentity"/>; null when there is none. <see cref="IsKnown"/> says whether it means somebody.
    /// </summary>
    public object? Identity => Channel.Identity;

    /// <summary>
    /// Whether the peer has proven who it is. False without <see cref="Identity"/>, for one with <see cref="ICoapPeerIdentity.IsKnown"/> false, such as a TLS client without a certificate, and for a
    /// <see cref="System.Security.Claims.ClaimsPrincipal"/>, <see cref="System.Security.Principal.IPrincipal"/> or <see cref="System.Security.Principal.IIdentity"/> that is not authenticated.
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
            CoapChannel channel = Channel;
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
    /// The smoothed round-trip time to it (RFC 6298), from Confirmable messages of ours that it acknowledged or rejected and that were sent only once; null without one.
    /// With the time that the peer took to acknowledge.
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

    /// <summary>Sends a request to the peer. Its URI may be a path, such as <c>/3/0</c>, or absolute; it goes to this peer in any case.</summary>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response, an error response too.</returns>
    /// <exception cref="CoapException">No response came; the derived type says why.</exception>
    public Task<CoapResponse> SendAsync(CoapRequest request, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(request);
        return _endpoint.SendAsync(_channel, request, cancellationToken);
    }

    /// <summary>Observes a resource of the peer (RFC 7641). The URI may be a path, such as <c>/3303/0/5700</c>, or absolute; it is asked of this peer in any case.</summary>
    /// <inheritdoc/>
    public Task<CoapObservation> ObserveAsync(CoapRequest request, CoapObserveOptions? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(request);
        return _endpoint.ObserveAsync(_channel, request, options, cancellationToken);
    }

    /// <summary>
    /// Asks the peer whether it is there: by an Empty Confirmable message that it answers with a Reset (RFC 7252 section 4.3), on a connection by a Ping, whose Pong may take
    /// <see cref="CoapStreamOptions.PongTimeout"/> (RFC 8323 section 5.4).
    /// </summary>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The round-trip time.</returns>
    /// <exception cref="CoapException">The peer did not answer; the derived type says why.</exception>
    public Task<TimeSpan> PingAsync(CancellationToken cancellationToken = default) =>
        _endpoint.PingAsync(_channel, default, cancellationToken);

    /// <summary>Asks the peer whether it is there, for some time at most: on a connection instead of
    /// <see cref="CoapStreamOptions.PongTimeout"/>, and with opening another one where it has ended.</summary>
    /// <param name="timeout">How long it may take; <see cref="Timeout.InfiniteTimeSpan"/> for no limit but that of retransmission.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The round-trip time.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The time is not above zero and not infinite.</exception>
    /// <exception cref="CoapTimeoutException">The peer did not answer in time.</exception>
    /// <exception cref="CoapException">The ping could not be sent; the derived type says why.</exception>
    public Task<TimeSpan> PingAsync(TimeSpan timeout, CancellationToken cancellationToken = default) =>
        _endpoint.PingAsync(_channel, RequestTime.Of(timeout), cancellationToken);

    /// <summary>Scheme and address.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => _channel.ToString();

    // A peer that was idle for long may have been forgotten, and be known by another channel since it came back.
    private CoapChannel Channel
    {
        get
        {
            if (_channel.IsForgotten)
            {
                _channel = _endpoint.Current(_channel);
            }

            return _channel;
        }
    }

    internal static CoapPeer Of(CoapChannel channel) =>
        channel.Face ?? channel.StoreFace(new CoapPeer(channel.Shard.Endpoint!, channel));
}
