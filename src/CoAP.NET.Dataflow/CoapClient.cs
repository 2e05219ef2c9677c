namespace CoAP.NET;

/// <summary>
/// Sends requests. One client serves any number of peers and concurrent requests, owns no thread while it is idle, and is best kept for as
/// long as the program runs. Dispose it: its sockets stay open otherwise. The request methods are in <see cref="CoapRequests"/>, those with
/// values in JSON in <see cref="CoapJsonRequests"/>; the package CoAP.NET.Content has the same for CBOR.
/// </summary>
public sealed class CoapClient : ICoapObserver, IAsyncDisposable
{
    private readonly bool _ownsEndpoint;
    private readonly CoapRequestDefaults _defaults = new();
    private bool _hasDefaults;
    private bool _isDisposed;

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
        GC.SuppressFinalize(this);
    }

    /// <summary>
    /// Tells the log of a client that was never disposed while its sockets are open. They stay open: threads of the library use them, and
    /// responses, observations and peers that the client gave may be in use without it.
    /// </summary>
    ~CoapClient()
    {
        if (!_isDisposed && Endpoint is not null)
        {
            Endpoint.Core.Diagnostics.WarnOfForgottenClient();
        }
    }

    /// <summary>The endpoint underneath. What is sent on it directly is relative to nothing and has no <see cref="Timeout"/> of the
    /// client.</summary>
    public CoapEndpoint Endpoint { get; }

    /// <summary>
    /// What URIs of requests, observations, pings and discoveries are relative to (RFC 3986 section 5.2): with
    /// <c>coap://device.example/api/</c> <c>state</c> is <c>/api/state</c>, and <c>/state</c> stays what it
    /// is. Default null: URIs are absolute. Set it before the first request.
    /// </summary>
    public CoapUri? BaseAddress
    {
        get => _defaults.BaseAddress;
        set => (_defaults.BaseAddress, _hasDefaults) = (value, true);
    }

    /// <summary>
    /// How long requests may take that say nothing of it, from the host name to the last block; see <see cref="CoapRequest.Timeout"/>. It
    /// holds for the registration of an observation and for pings as well. Default null: the times of the transmission parameters, 93 s
    /// until somebody acknowledges and 293 s more for the response. Set it before the first request.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Not above zero and not infinite.</exception>
    public TimeSpan? Timeout
    {
        get => _defaults.Timeout;
        set => (_defaults.Timeout, _hasDefaults) = (value, true);
    }

    /// <summary>
    /// The forward proxy that requests, observations and discoveries go to, which asks their target for the client (RFC 7252 section
    /// 5.7.2), such as <c>coap://gateway.example.com</c>. The target is named by Proxy-Uri, or by Proxy-Scheme where it is too long for
    /// that; <see cref="CoapProxyRequests.WithProxy"/> does the same for one request, in either way. A target may then be of any scheme
    /// that the proxy knows, such as <c>http</c>. A request that has Proxy-Uri or Proxy-Scheme itself goes where its URI says. Pings go to
    /// the host that they name, and groups are not asked. Default null: servers are asked directly. Set it before the first request.
    /// </summary>
    /// <exception cref="ArgumentException">It has a path or a query.</exception>
    public CoapUri? Proxy
    {
        get => _defaults.Proxy;
        set => (_defaults.Proxy, _hasDefaults) = (value, true);
    }

    /// <summary>Sends a request and waits for the response.</summary>
    /// <param name="request">The request; its URI may be relative to <see cref="BaseAddress"/>.</param>
    /// <param name="cancellationToken">Stops waiting; no further copies are sent.</param>
    /// <returns>The response, an error response too.</returns>
    /// <exception cref="ArgumentException">The URI is none, or relative without a <see cref="BaseAddress"/>; or the code is not that of a
    /// request; or the <see cref="Proxy"/> cannot be asked for it.</exception>
    /// <exception cref="CoapException">No response came; the derived type says why.</exception>
    /// <exception cref="ObjectDisposedException">The client was disposed.</exception>
    public Task<CoapResponse> SendAsync(CoapRequest request, CancellationToken cancellationToken = default)
    {
        try
        {
            return Endpoint.SendAsync(Prepare(request), cancellationToken);
        }
        catch (Exception exception) when (exception is ArgumentException or InvalidOperationException)
        {
            return Task.FromException<CoapResponse>(exception);
        }
    }

    /// <inheritdoc/>
    /// <exception cref="ObjectDisposedException">The client was disposed.</exception>
    public Task<CoapObservation> ObserveAsync(
        CoapRequest request, CoapObserveOptions? options = null, CancellationToken cancellationToken = default)
    {
        try
        {
            return Endpoint.ObserveAsync(Prepare(request), options, cancellationToken);
        }
        catch (Exception exception) when (exception is ArgumentException or InvalidOperationException)
        {
            return Task.FromException<CoapObservation>(exception);
        }
    }

    /// <summary>
    /// Sends a Non-confirmable request to a group and gives the answers of its members as they come; see
    /// <see cref="CoapEndpoint.SendToGroupAsync"/>.
    /// </summary>
    /// <param name="request">The request; Confirmable must be false.</param>
    /// <param name="options">Interface, reach and bounds; null for the defaults.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The answers; each enumeration sends the request anew.</returns>
    /// <exception cref="ArgumentException">The request is Confirmable, or its URI is not that of a group.</exception>
    /// <exception cref="InvalidOperationException">The client has a <see cref="Proxy"/>, which asks no groups.</exception>
    /// <exception cref="CoapException">While enumerating: the request cannot be sent, or the endpoint was stopped.</exception>
    /// <exception cref="ObjectDisposedException">The client was disposed.</exception>
    public IAsyncEnumerable<CoapGroupResponse> SendToGroupAsync(
        CoapRequest request, CoapGroupRequestOptions? options = null, CancellationToken cancellationToken = default) =>
        Proxy is null
            ? Endpoint.SendToGroupAsync(Prepare(request), options, cancellationToken)
            : throw new InvalidOperationException("A proxy asks no groups for a client. Use a client without a Proxy.");

    /// <summary>
    /// Asks a peer whether it is there, by an Empty Confirmable message that it answers with a Reset (RFC 7252 section 4.3), or on a
    /// connection by a Ping (RFC 8323 section 5.4).
    /// </summary>
    /// <param name="uri">Scheme, host and port; may be relative to <see cref="BaseAddress"/>, such as the empty string for its
    /// host.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The round-trip time, with retransmissions if there were any.</returns>
    /// <exception cref="CoapException">The peer did not answer; the derived type says why.</exception>
    /// <exception cref="ObjectDisposedException">The client was disposed.</exception>
    public Task<TimeSpan> PingAsync(string uri, CancellationToken cancellationToken = default) =>
        PingAsync(uri, new RequestTime(Timeout), cancellationToken);

    /// <summary>Asks a peer whether it is there, for some time at most: with finding its host name and connecting, and instead of
    /// <see cref="Timeout"/>.</summary>
    /// <param name="uri">Scheme, host and port; may be relative to <see cref="BaseAddress"/>, such as the empty string for its
    /// host.</param>
    /// <param name="timeout">How long all of it may take; <see cref="System.Threading.Timeout.InfiniteTimeSpan"/> for no limit but that of
    /// retransmission.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The round-trip time, with retransmissions if there were any.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The time is not above zero and not infinite.</exception>
    /// <exception cref="CoapTimeoutException">The peer did not answer in time; <see cref="CoapTimeoutException.Awaited"/> says what was
    /// missing.</exception>
    /// <exception cref="CoapException">The ping could not be sent; the derived type says why.</exception>
    /// <exception cref="ObjectDisposedException">The client was disposed.</exception>
    public Task<TimeSpan> PingAsync(string uri, TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        try
        {
            return PingAsync(uri, RequestTime.Of(timeout), cancellationToken);
        }
        catch (ArgumentException exception)
        {
            return Task.FromException<TimeSpan>(exception);
        }
    }

    private Task<TimeSpan> PingAsync(string uri, RequestTime time, CancellationToken cancellationToken)
    {
        try
        {
            ObjectDisposedException.ThrowIf(Volatile.Read(ref _isDisposed), this);
            return Endpoint.Core.Requester.PingAsync(_hasDefaults ? _defaults.Resolve(uri) : uri, time, cancellationToken);
        }
        catch (Exception exception) when (exception is ArgumentException or InvalidOperationException)
        {
            return Task.FromException<TimeSpan>(exception);
        }
    }

    /// <summary>Closes the endpoint if it is the client's own; requests that still wait fail. What is sent afterwards fails with an
    /// <see cref="ObjectDisposedException"/>.</summary>
    /// <returns>A task that ends when the sockets are closed.</returns>
    public ValueTask DisposeAsync()
    {
        Volatile.Write(ref _isDisposed, true);
        GC.SuppressFinalize(this);
        return _ownsEndpoint ? Endpoint.DisposeAsync() : ValueTask.CompletedTask;
    }

    private CoapRequest Prepare(CoapRequest request)
    {
        ObjectDisposedException.ThrowIf(Volatile.Read(ref _isDisposed), this);
        return _hasDefaults ? _defaults.Apply(request) : request;
    }
}
