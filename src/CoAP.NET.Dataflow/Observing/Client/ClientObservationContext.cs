using System.Net;
using CoAP.NET.Composition;
using CoAP.NET.Connecting;
using CoAP.NET.Errors;
using CoAP.NET.Exchanges;
using CoAP.NET.RequestSteps;

namespace CoAP.NET.Observing.Client;

/// <summary>The parts of an endpoint that its observations use. Thread-safe; the caller must hold no lock.</summary>
/// <param name="environment">Provides the clock.</param>
/// <param name="transports">The transports.</param>
/// <param name="hosts">Finds hosts.</param>
/// <param name="channels">Finds peers.</param>
/// <param name="steps">The steps of requests.</param>
internal sealed class ClientObservationContext(
    CoapEnvironment environment, TransportSet transports, HostLookup hosts, ChannelFinder channels,
    OutgoingRequestSteps steps)
{
    public TransportSet Transports => transports;

    public RequestSender Sender => steps.Sender;

    /// <summary>The cache to store notifications in; null for none.</summary>
    public ResponseCacheStep? Cache => steps.Cache;

    /// <summary>Returns the current peers of a target, at least one. It resolves names each time.</summary>
    /// <param name="target">The target.</param>
    /// <param name="cancellationToken">Stops it after the last reader.</param>
    /// <returns>The channels; with connections (RFC 8323), the connected one.</returns>
    /// <exception cref="CoapException">There is no peer.</exception>
    public async ValueTask<IReadOnlyList<CoapChannel>> FindAsync(ObservationTarget target, CancellationToken cancellationToken)
    {
        try
        {
            return await FindAsync(
                target, new ClientRequestTimeLimit(target.Timeout ?? ObserveClientRegistration.SearchTime), cancellationToken)
                .ConfigureAwait(false);
        }
        catch (CoapTimeoutException exception) when (target.Timeout is null)
        {
            throw exception.By(CoapTimeLimitKind.ObservationSearch);
        }
    }

    /// <summary>
    /// Fetches the whole representation of a notification with the first block (RFC 7959 section 2.6), or from the start.
    /// </summary>
    /// <param name="first">The notification; null if there is no first block.</param>
    /// <param name="request">The request of the fetch: that of the registration without Observe.</param>
    /// <param name="cancellationToken">Stops it.</param>
    /// <returns>The response with the whole representation.</returns>
    public async ValueTask<CoapResponse> CompleteAsync(
        CoapResponse? first, OutgoingRequest request, CancellationToken cancellationToken) =>
        // Below the cache: its entry may be older than the notification.
        await steps.Chain.SendAsync(request with { FirstBlock = first, Cancellation = cancellationToken }, steps.Blockwise.Position)
            .ConfigureAwait(false);

    private async ValueTask<IReadOnlyList<CoapChannel>> FindAsync(ObservationTarget target, ClientRequestTimeLimit time,
        CancellationToken cancellationToken)
    {
        if (target.Peer is { } peer)
        {
            CoapChannel found = peer.IsConnection
                ? await ConnectAsync(ConnectionPool.RouteTo(peer.Wire), target, time, cancellationToken).ConfigureAwait(false)
                : channels.Current(peer);
            return [peer.Carried is { } carried
                ? found.Wire.Protected(carried.Context)
                : found.ProtectedFor(null, target.Message)];
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
            return [connected.ProtectedFor(uri, target.Message)];
        }

        CoapChannel[] all = new CoapChannel[addresses.Length];
        for (int i = 0; i < all.Length; i++)
        {
            CoapAddress remote = HostLookup.AddressOf(uri, addresses[i]);
            all[i] = channels.ChannelTo(transport, remote, target.Local).ProtectedFor(uri, target.Message);
        }

        return all;
    }

    private ValueTask<CoapChannel> ConnectAsync(ConnectionRoute route, ObservationTarget target, ClientRequestTimeLimit time,
        CancellationToken cancellationToken) =>
            steps.Connection.ConnectAsync(route, target.Message,
                ConnectionRequestStep.NeedsCapabilities(target.Message, null, target.IsForOther), time, cancellationToken);
}
