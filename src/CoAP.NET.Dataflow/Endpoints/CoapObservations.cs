namespace CoAP.NET;

/// <summary>Extension methods that observe a resource with GET (RFC 7641).</summary>
/// <remarks>See <see cref="ICoapObserver.ObserveAsync"/> for results and exceptions.</remarks>
public static class CoapObservations
{
    /// <summary>Observes a resource.</summary>
    /// <param name="observer">The client, endpoint or peer that observes.</param>
    /// <param name="uri">The absolute URI; a <see cref="CoapPeer"/> takes a path as well.</param>
    /// <param name="cancellationToken">Stops waiting for the first registration and cancels it.</param>
    /// <returns>The observation.</returns>
    public static Task<CoapObservation> ObserveAsync(this ICoapObserver observer, string uri, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(observer);
        return observer.ObserveAsync(new CoapRequest(CoapMethod.Get, uri), null, cancellationToken);
    }

    /// <summary>Observes a resource.</summary>
    /// <param name="observer">The client, endpoint or peer that observes.</param>
    /// <param name="uri">The absolute URI.</param>
    /// <param name="cancellationToken">Stops waiting for the first registration and cancels it.</param>
    /// <returns>The observation.</returns>
    public static Task<CoapObservation> ObserveAsync(this ICoapObserver observer, Uri uri, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(observer);
        return observer.ObserveAsync(new CoapRequest(CoapMethod.Get, uri), null, cancellationToken);
    }

    /// <summary>Observes a resource and passes each notification to a callback; for programs with many observations.</summary>
    /// <remarks>See <see cref="CoapObserveOptions.OnNotification"/>.</remarks>
    /// <param name="observer">The client, endpoint or peer that observes.</param>
    /// <param name="uri">The absolute URI; a <see cref="CoapPeer"/> takes a path as well.</param>
    /// <param name="onNotification">Called with each notification, on the receiving thread.</param>
    /// <param name="cancellationToken">Stops waiting for the first registration and cancels it.</param>
    /// <returns>The observation.</returns>
    public static Task<CoapObservation> ObserveAsync(this ICoapObserver observer, string uri, Action<CoapResponse> onNotification,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(observer);
        ArgumentNullException.ThrowIfNull(onNotification);
        return observer.ObserveAsync(new CoapRequest(CoapMethod.Get, uri), new CoapObserveOptions { OnNotification = onNotification },
            cancellationToken);
    }
}
