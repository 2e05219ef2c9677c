namespace CoAP.NET;

/// <summary>
/// Something that observes resources (RFC 7641): a <see cref="CoapClient"/>, a <see cref="CoapEndpoint"/>, or a <see cref="CoapPeer"/>. The
/// methods of <see cref="CoapObservations"/> work on each.
/// </summary>
public interface ICoapObserver : ICoapRequester
{
    /// <summary>
    /// Observes a resource: registers at the server, hears of each change, and registers again when the server forgot or cannot be reached,
    /// until the observation is disposed. Observations of one resource (same URI, options and, with FETCH, payload) share one registration.
    /// </summary>
    /// <param name="request">A GET, or a FETCH with its payload (RFC 8132 section 2). Observe and ETag options are set here; it is not used
    /// any more afterwards.</param>
    /// <param name="options">How the observation works; null for the defaults.</param>
    /// <param name="cancellationToken">Stops waiting for the first registration and cancels it. Later it has no effect.</param>
    /// <returns>
    /// The observation, as soon as it is known what became of the first registration: also when the server does not notify, answered with
    /// an error or cannot be reached, as <see cref="CoapObservation.State"/> and <see cref="CoapObservation.Error"/> say; then it goes on
    /// trying.
    /// </returns>
    /// <exception cref="ArgumentException">The request is neither GET nor FETCH, or has no URI, or one that is no CoAP URI.</exception>
    /// <exception cref="CoapException">
    /// There are too many observations (<see cref="CoapLimits.MaxObservations"/>), the endpoint was stopped or has no transport for the
    /// scheme, or the URI is that of a group; with <see cref="CoapReregistration.Never"/> also when no response came.
    /// </exception>
    Task<CoapObservation> ObserveAsync(CoapRequest request, CoapObserveOptions? options = null,
        CancellationToken cancellationToken = default);
}
