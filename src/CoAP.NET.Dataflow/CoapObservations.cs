namespace CoAP.NET;

/// <summary>
/// Short ways to observe a resource by GET (RFC 7641). See <see cref="ICoapObserver.ObserveAsync"/> for what they return and throw.
/// </summary>
public static class CoapObservations
{
    /// <summary>Observes a resource.</summary>
    /// <param name="observer">Who observes.</param>
    /// <param name="uri">The absolute URI; a <see cref="CoapPeer"/> takes a path as well.</param>
    /// <param name="cancellationToken">Stops waiting for the first registration and cancels it.</param>
    /// <returns>The observation.</returns>
    public static Task<CoapObservation> ObserveAsync(this ICoapObserver observer, string uri, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(observer);
        return observer.ObserveAsync(new CoapRequest(CoapMethod.Get, uri), null, cancellationToken);
    }

    /// <summary>Observes a resource.</summary>
    /// <param name="observer">Who observes.</param>
    /// <param name="uri">The absolute URI.</param>
    /// <param name="cancellationToken">Stops waiting for the first registration and cancels it.</param>
    /// <returns>The observation.</returns>
    public static Task<CoapObservation> ObserveAsync(this ICoapObserver observer, Uri uri, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(observer);
        return observer.ObserveAsync(new CoapRequest(CoapMethod.Get, uri), null, cancellationToken);
    }

    /// <summary>
    /// Observes a resource and has each notification handed to a method; for programs with many observations. See
    /// <see cref="CoapObserveOptions.OnNotification"/>.
    /// </summary>
    /// <param name="observer">Who observes.</param>
    /// <param name="uri">The absolute URI; a <see cref="CoapPeer"/> takes a path as well.</param>
    /// <param name="onNotification">Called with each notification, on the thread that receives.</param>
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
