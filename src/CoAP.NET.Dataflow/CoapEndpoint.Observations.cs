using System.Net;
using CoAP.NET.Channels;
using CoAP.NET.Connecting;
using CoAP.NET.Exchanges;
using CoAP.NET.Observing;
using CoAP.NET.Options;
using CoAP.NET.Requests;
using CoAP.NET.Transports;

namespace CoAP.NET;

// Resources that this endpoint observes.
public sealed partial class CoapEndpoint
{
    /// <inheritdoc/>
    public async Task<CoapObservation> ObserveAsync(CoapRequest request, CoapObserveOptions? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(request);
        CheckObservable(request);
        CoapUri uri = ParseTarget(request.UriText ?? throw new ArgumentException("The request has no URI. Make it with one, or observe a resource of a CoapPeer.", nameof(request)));
        if (uri.HostAddress is { } literal)
        {
            AddressOf(uri, literal);
        }

        // What time does not heal is said at once.
        await TransportForAsync(uri.Scheme, cancellationToken).ConfigureAwait(false);
        CoapMessage message = Copy(request);
        if (!message.Options.Contains(OptionNumber.ProxyUri))
        {
            // The same for every address of the host, so that they share a registration.
            uri.AddTo(message.Options, uri.HostAddress, uri.Port);
        }

        return await BeginObservationAsync(
            new ObservationTarget($"{uri.Scheme}://{uri.Authority}{(request.LocalAddress is { } local ? $" from {local}" : null)}", message) { Uri = uri, Local = request.LocalAddress, Timeout = TimeoutOf(request), CacheMode = request.CacheMode, BlockSize = request.BlockSize },
            options,
            cancellationToken).ConfigureAwait(false);
    }

    internal Task<CoapObservation> ObserveAsync(CoapChannel channel, CoapRequest request, CoapObserveOptions? options, CancellationToken cancellationToken)
    {
        CheckObservable(request);
        CoapMessage message = Compose(channel, request, out CoapUri? uri);
        return BeginObservationAsync(
            new ObservationTarget($"{channel} at {channel.Local}", message) { Uri = uri, Peer = channel, Timeout = TimeoutOf(request), CacheMode = request.CacheMode, BlockSize = request.BlockSize },
            options,
            cancellationToken);
    }

    internal async ValueTask<IReadOnlyList<CoapChannel>> FindAsync(ObservationTarget target, CancellationToken cancellationToken)
    {
        try
        {
            return await FindAsync(
                target, new RequestTime(target.Timeout ?? ClientRegistration.SearchTime), cancellationToken).ConfigureAwait(false);
        }
        catch (CoapTimeoutException exception) when (target.Timeout is null)
        {
            throw exception.By(CoapTimeLimit.ObservationSearch);
        }
    }

    private async ValueTask<IReadOnlyList<CoapChannel>> FindAsync(
        ObservationTarget target, RequestTime time, CancellationToken cancellationToken)
    {
        if (target.Peer is { } peer)
        {
            return [peer.IsConnection
                ? await ChannelToAsync(ConnectionPool.RouteTo(peer), target.Message, null, time, cancellationToken).ConfigureAwait(false)
                : Current(peer)];
        }

        CoapUri uri = target.Uri!;
        CoapTransport transport = await TransportForAsync(uri.Scheme, cancellationToken).ConfigureAwait(false);
        long started = _environment.Now;
        IPAddress[] addresses = Reachable(
            await _hosts.FindInTimeAsync(uri, target.Message.Code, time, started, cancellationToken).ConfigureAwait(false), target.Local, uri);
        if (transport is CoapConnectionTransport stream)
        {
            // Of several addresses the one that could be connected to.
            ConnectionRoute route = RouteTo(stream, uri, addresses, target.Local);
            RequestTime left = time.Since(started, _environment.Now);
            return [await ChannelToAsync(route, target.Message, null, left, cancellationToken).ConfigureAwait(false)];
        }

        CoapChannel[] channels = new CoapChannel[addresses.Length];
        for (int i = 0; i < channels.Length; i++)
        {
            channels[i] = ChannelTo(transport, AddressOf(uri, addresses[i]), target.Local);
        }

        return channels;
    }

    internal StandingRequest OpenStanding(CoapChannel channel, IStandingOwner owner) => _sender.Open(channel, owner);

    internal bool HasCache => _cacheStep is not null;

    internal void StoreObserved(OutgoingRequest registration, CoapResponse response) => _cacheStep?.Store(registration, response);

    internal Task<CoapResponse> CompleteBodyAsync(CoapResponse? first, OutgoingRequest request, CancellationToken cancellationToken) =>
        // Below the cache: what it holds may be older than the notification.
        _chain.SendAsync(request with { FirstBlock = first, Cancellation = cancellationToken }, _blockwiseStep.Position);

    private static void CheckObservable(CoapRequest request)
    {
        if (request.Code != CoapCode.Get && request.Code != CoapCode.Fetch)
        {
            throw new ArgumentException($"{request.Code} cannot be observed; GET and FETCH can (RFC 7641 section 1.2, RFC 8132 section 2).", nameof(request));
        }
    }

    private static TimeSpan? TimeoutOf(CoapRequest request) => request.Timeout == Timeout.InfiniteTimeSpan ? null : request.Timeout;
}
