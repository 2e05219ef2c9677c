namespace CoAP.NET;

/// <summary>
/// Sends requests and observes resources: a <see cref="CoapClient"/>, a <see cref="CoapEndpoint"/>, a <see cref="CoapPeer"/>, a client of
/// a host, or a device of a cluster.
/// </summary>
/// <remarks>
/// Thread-safe. <see cref="CoapClientRequestExtensions"/> has a method for each request method. An application can wrap a client in its
/// own, for example to log requests or to answer them in a test.
/// </remarks>
public interface ICoapClient
{
    /// <summary>Sends a request and waits for the response.</summary>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Stops waiting and retransmitting.</param>
    /// <returns>The response, which may be an error response.</returns>
    /// <exception cref="CoapException">No response arrived; the derived type says why.</exception>
    Task<CoapResponse> SendAsync(CoapRequest request, CancellationToken cancellationToken = default);

    /// <summary>
    /// Observes a resource (RFC 7641) until the observation is disposed: registers at the server, receives each change, and registers again
    /// when the server forgot it or was unreachable.
    /// </summary>
    /// <remarks>Observations of one resource (same URI, options and, with FETCH, payload) share one registration.</remarks>
    /// <param name="request">A GET, or a FETCH with its payload (RFC 8132 section 2). The method sets its Observe and ETag options, and
    /// does not use it after the call.</param>
    /// <param name="options">Options of the observation; null for the defaults.</param>
    /// <param name="cancellationToken">Stops waiting for the first registration and cancels it. It has no effect later.</param>
    /// <returns>
    /// The observation, as soon as the result of the first registration is known. The method also returns it when the server does not
    /// notify, answered with an error or is unreachable, as <see cref="CoapObservation.State"/> and <see cref="CoapObservation.Error"/>
    /// say; the observation then keeps trying.
    /// </returns>
    /// <exception cref="ArgumentException">The request is neither GET nor FETCH, or has no valid CoAP URI.</exception>
    /// <exception cref="CoapException">
    /// There are too many observations (<see cref="CoapObserveLimits.MaxObservations"/>), the endpoint was stopped or has no transport for
    /// the scheme, or the URI names a group; with <see cref="CoapReregistrationPolicy.Never"/> also if no response arrived.
    /// </exception>
    Task<CoapObservation> ObserveAsync(CoapRequest request, CoapObservationOptions? options = null,
        CancellationToken cancellationToken = default);
}
