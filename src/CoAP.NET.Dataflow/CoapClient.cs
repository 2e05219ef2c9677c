namespace CoAP.NET;

/// <summary>
/// Sends requests. One client serves any number of peers and concurrent requests, owns no thread while it is idle, and is best kept for as long as the program runs.
/// The request methods are in <see cref="CoapRequests"/>.
/// </summary>
public sealed class CoapClient : ICoapObserver, IAsyncDisposable
{
    private readonly bool _ownsEndpoint;

    /// <summary>Makes a client with an endpoint of its own. Sockets are opened with the first request.</summary>
    /// <param name="options">How the endpoint works; default: all defaults.</param>
    public CoapClient(CoapEndpointOptions? options = null)
    {
        Endpoint = new CoapEndpoint(options);
        _ownsEndpoint = true;
    }

    /// <summary>Makes a client on an endpoint that others use too, such as a server's: requests leave from its port.</summary>
    /// <param name="endpoint">The endpoint; disposing the client leaves it alone.</param>
    public CoapClient(CoapEndpoint endpoint)
    {
        ArgumentNullException.ThrowIfNull(endpoint);
        Endpoint = endpoint;
    }

    /// <summary>The endpoint underneath.</summary>
    public CoapEndpoint Endpoint { get; }

    /// <inheritdoc/>
    public Task<CoapResponse> SendAsync(CoapRequest request, CancellationToken cancellationToken = default) => Endpoint.SendAsync(request, cancellationToken);

    /// <inheritdoc/>
    public Task<CoapObservation> ObserveAsync(CoapRequest request, CoapObserveOptions? options = null, CancellationToken cancellationToken = default) =>
        Endpoint.ObserveAsync(request, options, cancellationToken);

    /// <summary>Sends a Non-confirmable request to a group and gives the answers of its members as they come; see <see cref="CoapEndpoint.SendToGroupAsync"/>.</summary>
    /// <param name="request">The request; Confirmable must be false.</param>
    /// <param name="options">Interface, reach and bounds; null for the defaults.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The answers; each enumeration sends the request anew.</returns>
    /// <exception cref="ArgumentException">The request is Confirmable, or its URI is not that of a group.</exception>
    /// <exception cref="CoapException">While enumerating: the request cannot be sent, or the endpoint was stopped.</exception>
    public IAsyncEnumerable<CoapGroupResponse> SendToGroupAsync(CoapRequest request, CoapGroupRequestOptions? options = null, CancellationToken cancellationToken = default) =>
        Endpoint.SendToGroupAsync(request, options, cancellationToken);

    /// <summary>
    /// Asks a peer whether it is there, by an Empty Confirmable message that it answers with a Reset (RFC 7252 section 4.3), or on a connection by a Ping (RFC 8323 section 5.4).
    /// </summary>
    /// <param name="uri">Scheme, host and port.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The round-trip time, with retransmissions if there were any.</returns>
    /// <exception cref="CoapException">The peer did not answer; the derived type says why.</exception>
    public Task<TimeSpan> PingAsync(string uri, CancellationToken cancellationToken = default) => Endpoint.PingAsync(uri, cancellationToken);

    /// <summary>Closes the endpoint if it is the client's own; requests that still wait fail.</summary>
    /// <returns>A task that ends when the sockets are closed.</returns>
    public ValueTask DisposeAsync() => _ownsEndpoint ? Endpoint.DisposeAsync() : ValueTask.CompletedTask;
}
