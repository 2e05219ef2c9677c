using CoAP.NET.Composition;
using CoAP.NET.Connecting;
using CoAP.NET.Options;
using CoAP.NET.Requests;

namespace CoAP.NET.Observing;

/// <summary>Starts the observations of users (RFC 7641). Thread-safe; the caller must hold no lock.</summary>
/// <param name="environment">Provides telemetry.</param>
/// <param name="transports">The transports.</param>
/// <param name="observed">The observations.</param>
internal sealed class ObservationRequester(CoapEnvironment environment, TransportSet transports, ClientObservations observed)
{
    /// <summary>Observes a resource at the host of its URI. See <see cref="CoapEndpoint.ObserveAsync"/>.</summary>
    /// <param name="request">The request.</param>
    /// <param name="options">The options of the observation; null for the defaults.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The observation.</returns>
    public async Task<CoapObservation> ObserveAsync(CoapRequest request, CoapObserveOptions? options, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(request);
        CheckObservable(request);
        CoapUri uri = RequestComposer.ParseTarget(request.UriText
            ?? throw new ArgumentException("The request has no URI. Create it with one, or observe a resource of a CoapPeer.",
                nameof(request)));
        if (uri.HostAddress is { } literal)
        {
            HostLookup.AddressOf(uri, literal);
        }

        // Report permanent errors at once.
        await transports.ForAsync(uri.Scheme, cancellationToken).ConfigureAwait(false);
        CoapMessage message = RequestComposer.Copy(request);
        bool isOfTarget = !RequestComposer.NamesResource(message);

        // The same for every address of the host, so that they share a registration.
        RequestComposer.AddTarget(message, uri, uri.HostAddress, uri.Port);
        string name = $"{uri.Scheme}://{uri.Authority}{(request.LocalAddress is { } local ? $" from {local}" : null)}";
        ObservationTarget target = new(name, message)
        {
            Uri = uri, IsOfUri = isOfTarget, Local = request.LocalAddress, Timeout = TimeoutOf(request), CacheMode = request.CacheMode,
            BlockSize = request.BlockSize, IsForwarded = request.IsForwarded, OnBehalfOf = request.OnBehalfOf,
        };
        return await BeginAsync(target, options, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Observes a resource of a peer, whatever host its URI names.</summary>
    /// <param name="channel">The peer.</param>
    /// <param name="request">The request.</param>
    /// <param name="options">The options of the observation; null for the defaults.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The observation.</returns>
    public Task<CoapObservation> ObserveAsync(CoapChannel channel, CoapRequest request, CoapObserveOptions? options,
        CancellationToken cancellationToken)
    {
        CheckObservable(request);
        CoapMessage message = RequestComposer.Compose(channel, request, out CoapUri? uri);
        ObservationTarget target = new($"{channel} at {channel.Local}", message)
        {
            Uri = uri, Peer = channel, Timeout = TimeoutOf(request), CacheMode = request.CacheMode, BlockSize = request.BlockSize,
            IsForwarded = request.IsForwarded, OnBehalfOf = request.OnBehalfOf,
        };
        return BeginAsync(target, options, cancellationToken);
    }

    private static void CheckObservable(CoapRequest request)
    {
        if (request.Code != CoapCode.Get && request.Code != CoapCode.Fetch)
        {
            throw new ArgumentException($"{request.Code} cannot be observed. Use GET or FETCH (RFC 7641 section 1.2, RFC 8132 section 2).",
                nameof(request));
        }
    }

    private static TimeSpan? TimeoutOf(CoapRequest request) => request.Timeout == Timeout.InfiniteTimeSpan ? null : request.Timeout;

    private Task<CoapObservation> BeginAsync(ObservationTarget target, CoapObserveOptions? options, CancellationToken cancellationToken) =>
        CoapTelemetry.Source.HasListeners()
            ? WatchAsync(target, options, cancellationToken)
            : observed.BeginAsync(target, options, cancellationToken);

    // From the call to the first notification, or another response of the server.
    private async Task<CoapObservation> WatchAsync(ObservationTarget target, CoapObserveOptions? options,
        CancellationToken cancellationToken)
    {
        CoapChannel? peer = target.Peer;
        string scheme = peer?.Transport.Scheme ?? target.Uri!.Scheme;
        ClientWatch watch = new(environment, scheme.Contains('+', StringComparison.Ordinal), target.Message.Code.Value)
        {
            IsObservation = true
        };
        watch.Begin("OBSERVE", target.Uri, scheme, peer?.Remote.ToIPAddress().ToString() ?? target.Uri!.Host,
            peer?.Remote.Port ?? target.Uri!.Port);
        try
        {
            CoapObservation observation = await observed.BeginAsync(target, options, cancellationToken)
                .ConfigureAwait(false);
            watch.End(observation.Latest?.Code ?? CoapCode.Empty);
            return observation;
        }
        catch (Exception exception)
        {
            watch.Fail(exception);
            throw;
        }
    }
}
