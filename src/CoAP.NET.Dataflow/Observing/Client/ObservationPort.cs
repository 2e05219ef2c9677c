using System.Net;
using CoAP.NET.Composition;
using CoAP.NET.Connecting;
using CoAP.NET.Exchanges;
using CoAP.NET.Requests;
using CoAP.NET.Transports;

namespace CoAP.NET.Observing;

/// <summary>Connects observations with their endpoint. Thread-safe; the caller must hold no lock.</summary>
/// <param name="environment">Provides the clock.</param>
/// <param name="transports">The transports.</param>
/// <param name="hosts">Finds hosts.</param>
/// <param name="channels">Finds peers.</param>
/// <param name="steps">The steps of requests.</param>
internal sealed class ObservationPort(CoapEnvironment environment, TransportSet transports, HostLookup hosts, ChannelFinder channels,
    RequestSteps steps)
{
    /// <summary>Whether there is a cache to store notifications in.</summary>
    public bool HasCache => steps.Cache is not null;

    /// <summary>Returns the current peers of a target, at least one. It resolves names each time.</summary>
    /// <param name="target">The target.</param>
    /// <param name="cancellationToken">Stops it after the last reader.</param>
    /// <returns>The channels; with connections (RFC 8323), the connected one.</returns>
    /// <exception cref="CoapException">There is no peer.</exception>
    public async ValueTask<IReadOnlyList<CoapChannel>> FindAsync(ObservationTarget target, CancellationToken cancellationToken)
    {
        try
        {
            return await FindAsync(target, new RequestTime(target.Timeout ?? ClientRegistration.SearchTime), cancellationToken)
                .ConfigureAwait(false);
        }
        catch (CoapTimeoutException exception) when (target.Timeout is null)
        {
            throw exception.By(CoapTimeLimit.ObservationSearch);
        }
    }

    /// <summary>Returns whether two channels lead to the same peer: the same connection, or on datagrams the same address.</summary>
    public static bool IsSamePeer(CoapChannel left, CoapChannel right) =>
        ReferenceEquals(left, right)
        || (!left.IsConnection && left.Remote == right.Remote && left.Transport == right.Transport
            && left.Carried?.Context == right.Carried?.Context);

    /// <summary>Returns whether an ended connection to a peer may be opened again: it was opened for requests of ours.</summary>
    public static bool MayConnect(CoapChannel channel) => ConnectionPool.RouteTo(channel.Wire).Only is null;

    /// <summary>Reserves a token towards a peer.</summary>
    public StandingRequest Open(CoapChannel channel, IStandingOwner owner) => steps.Sender.Open(channel, owner);

    /// <summary>Takes over a token of an earlier process.</summary>
    /// <returns>The token; null if another request to the peer uses it.</returns>
    public StandingRequest? TryAdopt(CoapChannel channel, CoapToken token, IStandingOwner owner) =>
        steps.Sender.TryAdopt(channel, token, owner);

    /// <summary>Releases a token.</summary>
    public void Close(StandingRequest request) => steps.Sender.Close(request);

    /// <summary>Sends a message.</summary>
    /// <returns>Why it could not be sent; null if it was sent.</returns>
    public CoapException? Send(CoapTransmission transmission) => steps.Sender.Send(transmission);

    /// <summary>Stops retransmitting a message.</summary>
    public void Stop(CoapTransmission transmission) => steps.Sender.Stop(transmission);

    /// <summary>Stores the newest response of a registration in the cache.</summary>
    /// <param name="registration">The registration.</param>
    /// <param name="response">The response, with its whole body.</param>
    public void Store(OutgoingRequest registration, CoapResponse response) => steps.Cache?.Store(registration, response);

    /// <summary>
    /// Fetches the whole representation of a notification with the first block (RFC 7959 section 2.6), or from the start.
    /// </summary>
    /// <param name="first">The notification; null if there is no first block.</param>
    /// <param name="request">The request of the fetch: that of the registration without Observe.</param>
    /// <param name="cancellationToken">Stops it.</param>
    /// <returns>The response with the whole representation.</returns>
    public Task<CoapResponse> CompleteAsync(CoapResponse? first, OutgoingRequest request, CancellationToken cancellationToken) =>
        // Below the cache: its entry may be older than the notification.
        steps.Chain.SendAsync(request with { FirstBlock = first, Cancellation = cancellationToken }, steps.Blockwise.Position);

    private async ValueTask<IReadOnlyList<CoapChannel>> FindAsync(ObservationTarget target, RequestTime time,
        CancellationToken cancellationToken)
    {
        if (target.Peer is { } peer)
        {
            CoapChannel found = peer.IsConnection
                ? await ConnectAsync(ConnectionPool.RouteTo(peer.Wire), target, time, cancellationToken).ConfigureAwait(false)
                : channels.Current(peer);
            return [peer.Carried is { } carried
                ? found.Wire.Protected(carried.Context)
                : channels.ProtectedFor(null, found, target.Message)];
        }

        CoapUri uri = target.Uri!;
        CoapTransport transport = await transports.ForAsync(uri.Scheme, cancellationToken).ConfigureAwait(false);
        long started = environment.Now;
        IPAddress[] addresses = HostLookup.Reachable(
            await hosts.FindInTimeAsync(uri, target.Message.Code, time, started, cancellationToken, target.OnBehalfOf)
                .ConfigureAwait(false),
            target.Local,
            uri);
        if (transport is CoapConnectionTransport stream)
        {
            // With several addresses, the connected one.
            ConnectionRoute route = ChannelFinder.RouteTo(stream, uri, addresses, target.Local);
            CoapChannel connected = await ConnectAsync(route, target, time.Since(started, environment.Now), cancellationToken)
                .ConfigureAwait(false);
            return [channels.ProtectedFor(uri, connected, target.Message)];
        }

        CoapChannel[] all = new CoapChannel[addresses.Length];
        for (int i = 0; i < all.Length; i++)
        {
            CoapAddress remote = HostLookup.AddressOf(uri, addresses[i]);
            all[i] = channels.ProtectedFor(uri, channels.ChannelTo(transport, remote, target.Local), target.Message);
        }

        return all;
    }

    private ValueTask<CoapChannel> ConnectAsync(ConnectionRoute route, ObservationTarget target, RequestTime time,
        CancellationToken cancellationToken) =>
            steps.Connection.ConnectAsync(route, target.Message,
                ConnectionStep.NeedsCapabilities(target.Message, null, target.IsForOther), time, cancellationToken);
}
