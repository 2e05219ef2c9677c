using CoAP.NET.Endpoints;
using CoAP.NET.Errors;

namespace CoAP.NET;

/// <summary>Sends requests.</summary>
/// <remarks>
/// One client serves any number of peers and concurrent requests, and owns no thread while it is idle. Keep it for as long as the program
/// runs, and dispose it: its sockets stay open otherwise. <see cref="CoapClientRequestExtensions"/> has the request methods.
/// </remarks>
/// <example>
/// <code>
/// await using CoapClient client = new();
/// CoapResponse response = await client.GetAsync("coap://[::1]/temperature", cancellationToken);
/// Console.WriteLine(response.GetText());
/// </code>
/// </example>
public sealed class CoapClient : IEndpointClient, IAsyncDisposable
{
    private readonly CoapRequestDefaults _defaults = new();
    private bool _hasDefaults;
    private bool _isDisposed;

    /// <summary>Creates a client with its own endpoint.</summary>
    /// <remarks>The first request opens the sockets.</remarks>
    /// <param name="options">The options of the endpoint; default: all defaults.</param>
    public CoapClient(CoapEndpointOptions? options = null)
    {
        Endpoint = new CoapEndpoint(options);
    }

    /// <summary>Creates a client with its own endpoint, and sets its options.</summary>
    /// <remarks>The first request opens the sockets.</remarks>
    /// <param name="configure">Sets the options of the endpoint, such as <c>o => o.UsePsk(identity, key)</c> of CoAP.NET.Dtls.</param>
    public CoapClient(Action<CoapEndpointOptions> configure)
        : this(CoapEndpointOptions.Of(configure))
    {
    }

    /// <summary>Creates a client on a shared endpoint, such as a server's: requests leave from its port.</summary>
    /// <remarks>Disposing the client ends its own requests and observations, and nothing else of the endpoint.</remarks>
    /// <param name="endpoint">The endpoint; disposing the client does not dispose it.</param>
    public CoapClient(CoapEndpoint endpoint)
    {
        ArgumentNullException.ThrowIfNull(endpoint);
        Endpoint = endpoint;
        Exchanges = new ClientPendingOperations();
        GC.SuppressFinalize(this);
    }

    /// <summary>
    /// Logs a client that was never disposed while its sockets are open. They stay open: threads of the library use them, and the
    /// responses, observations and peers of the client may be in use without it.
    /// </summary>
    ~CoapClient()
    {
        if (!_isDisposed && Endpoint is not null)
        {
            Endpoint.Core.Diagnostics.WarnOfForgottenClient();
        }
    }

    /// <summary>The underlying endpoint.</summary>
    /// <remarks>Requests sent on it directly do not use the base address and the <see cref="Timeout"/> of the client.</remarks>
    public CoapEndpoint Endpoint { get; }

    /// <summary>The operations of the client on a shared endpoint; null for a client that owns its endpoint.</summary>
    internal ClientPendingOperations? Exchanges { get; }

    /// <summary>The base of relative URIs of requests, observations, pings and discoveries (RFC 3986 section 5.2).</summary>
    /// <remarks>
    /// With <c>coap://device.example/api/</c>, <c>state</c> becomes <c>/api/state</c>, and <c>/state</c> stays unchanged. Default null:
    /// URIs are absolute. Set it before the first request.
    /// </remarks>
    public CoapUri? BaseAddress
    {
        get => _defaults.BaseAddress;
        set => (_defaults.BaseAddress, _hasDefaults) = (value, true);
    }

    /// <summary>
    /// The timeout of requests that set none, from host name resolution to the last block; see <see cref="CoapRequest.Timeout"/>.
    /// </summary>
    /// <remarks>
    /// It also applies to pings and to the registration of an observation. Default null: the times of the transmission parameters, 93 s
    /// until an acknowledgement and 293 s more for the response. Set it before the first request.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is neither above zero nor infinite.</exception>
    public TimeSpan? Timeout
    {
        get => _defaults.Timeout;
        set => (_defaults.Timeout, _hasDefaults) = (value, true);
    }

    /// <summary>
    /// The forward proxy for requests, observations and discoveries (RFC 7252 section 5.7.2), such as <c>coap://gateway.example.com</c>.
    /// </summary>
    /// <remarks>
    /// The client names the target in Proxy-Uri, or in Proxy-Scheme if it is too long for that;
    /// <see cref="CoapClientRequestExtensions.WithProxy(CoapRequest, CoapUri, bool)"/> does the same for one request, in either way. A
    /// target may have any scheme that the proxy knows, such as <c>http</c>. A request with its own Proxy-Uri or Proxy-Scheme goes to the
    /// host of its URI. Pings go to the host that they name, and a client with a proxy sends no group requests. Default null: the client
    /// sends requests to the servers directly. Set it before the first request.
    /// </remarks>
    /// <exception cref="ArgumentException">The URI has a path or a query.</exception>
    public CoapUri? Proxy
    {
        get => _defaults.Proxy;
        set => (_defaults.Proxy, _hasDefaults) = (value, true);
    }

    /// <summary>The Content-Format of the responses to requests without Accept (RFC 7252 section 5.10.4).</summary>
    /// <remarks>Default null: any. Set it before the first request.</remarks>
    public CoapContentFormat? Accept
    {
        get => _defaults.Accept;
        set => (_defaults.Accept, _hasDefaults) = (value, true);
    }

    /// <summary>Whether requests are Confirmable messages (RFC 7252 section 4.2), unless a request says that it is not.</summary>
    /// <remarks>Default <see langword="true"/>. With false, none is but those that ignore it. Set it before the first request.</remarks>
    public bool Confirmable
    {
        get => _defaults.Confirmable;
        set => (_defaults.Confirmable, _hasDefaults) = (value, true);
    }

    /// <summary>Sends a request and waits for the response.</summary>
    /// <param name="request">The request; its URI may be relative to <see cref="BaseAddress"/>.</param>
    /// <param name="cancellationToken">Stops waiting and retransmitting.</param>
    /// <returns>The response, which may be an error response.</returns>
    /// <exception cref="ArgumentException">The URI is invalid, or relative without a <see cref="BaseAddress"/>; or the code is not a
    /// request code; or the request cannot go through the <see cref="Proxy"/>.</exception>
    /// <exception cref="CoapException">No response arrived; the derived type says why.</exception>
    /// <exception cref="ObjectDisposedException">The client was disposed.</exception>
    public Task<CoapResponse> SendAsync(CoapRequest request, CancellationToken cancellationToken = default)
    {
        try
        {
            CoapRequest prepared = Prepare(request);
            return Exchanges is null
                ? Endpoint.SendAsync(prepared, cancellationToken)
                : Exchanges.RunAsync(
                    (Endpoint, prepared), static (all, token) => all.Endpoint.SendAsync(all.prepared, token), cancellationToken);
        }
        catch (Exception exception) when (exception is ArgumentException or InvalidOperationException)
        {
            return Task.FromException<CoapResponse>(exception);
        }
    }

    /// <inheritdoc/>
    /// <exception cref="ObjectDisposedException">The client was disposed.</exception>
    public Task<CoapObservation> ObserveAsync(
        CoapRequest request, CoapObservationOptions? options = null, CancellationToken cancellationToken = default)
    {
        try
        {
            CoapRequest prepared = Prepare(request);
            return Exchanges is null
                ? Endpoint.ObserveAsync(prepared, options, cancellationToken)
                : Exchanges.ObserveAsync(Endpoint, prepared, options, cancellationToken);
        }
        catch (Exception exception) when (exception is ArgumentException or InvalidOperationException)
        {
            return Task.FromException<CoapObservation>(exception);
        }
    }

    /// <summary>
    /// Sends a Non-confirmable request to a group and returns the responses of its members as they arrive; see
    /// <see cref="CoapEndpoint.SendToGroupAsync"/>.
    /// </summary>
    /// <param name="request">The request; Confirmable must be false.</param>
    /// <param name="options">Interface, hop limit and limits; null for the defaults.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The responses; each enumeration sends the request again.</returns>
    /// <exception cref="ArgumentException">The request is Confirmable, or its URI does not name a group.</exception>
    /// <exception cref="InvalidOperationException">The client has a <see cref="Proxy"/>, which forwards no group requests.</exception>
    /// <exception cref="CoapException">While enumerating: the request cannot be sent, or the endpoint was stopped.</exception>
    /// <exception cref="ObjectDisposedException">The client was disposed.</exception>
    public IAsyncEnumerable<CoapGroupResponse> SendToGroupAsync(
        CoapRequest request, CoapGroupRequestOptions? options = null, CancellationToken cancellationToken = default)
    {
        if (Proxy is not null)
        {
            throw new InvalidOperationException("A proxy does not forward requests to groups. Use a client without a Proxy.");
        }

        CoapRequest prepared = Prepare(request);
        return Exchanges is null
            ? Endpoint.SendToGroupAsync(prepared, options, cancellationToken)
            : Exchanges.ReadAsync(Endpoint.SendToGroupAsync(prepared, options, CancellationToken.None), cancellationToken);
    }

    /// <summary>
    /// Checks whether a peer is reachable, with an Empty Confirmable message that the peer answers with a Reset (RFC 7252 section 4.3), or
    /// with a Ping on a connection (RFC 8323 section 5.4).
    /// </summary>
    /// <param name="uri">Scheme, host and port; may be relative to <see cref="BaseAddress"/>. Null or the empty reference for its
    /// host.</param>
    /// <param name="timeout">The time limit, which includes host name resolution and connecting; null for <see cref="Timeout"/>,
    /// <see cref="System.Threading.Timeout.InfiniteTimeSpan"/> for no limit except that of retransmission.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The round-trip time, including retransmissions.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The time is neither above zero nor infinite.</exception>
    /// <exception cref="CoapTimeoutException">The peer did not answer in time.</exception>
    /// <exception cref="CoapException">The ping could not be sent; the derived type says why.</exception>
    /// <exception cref="ObjectDisposedException">The client was disposed.</exception>
    public Task<TimeSpan> PingAsync(CoapUri? uri = null, TimeSpan? timeout = null, CancellationToken cancellationToken = default)
    {
        try
        {
            return PingAsync(uri ?? CoapUri.FromString(""), ClientRequestTimeLimit.Of(timeout ?? Timeout), cancellationToken);
        }
        catch (ArgumentException exception)
        {
            return Task.FromException<TimeSpan>(exception);
        }
    }

    /// <inheritdoc cref="PingAsync(CoapUri, TimeSpan?, CancellationToken)"/>
    /// <exception cref="CoapFormatException">The text is not a URI.</exception>
    public Task<TimeSpan> PingAsync(string uri, TimeSpan? timeout = null, CancellationToken cancellationToken = default) =>
        PingAsync(CoapUri.FromString(uri), timeout, cancellationToken);

    private Task<TimeSpan> PingAsync(CoapUri uri, ClientRequestTimeLimit time, CancellationToken cancellationToken)
    {
        try
        {
            ObjectDisposedException.ThrowIf(Volatile.Read(ref _isDisposed), this);
            CoapUri target = _hasDefaults || !uri.IsAbsolute ? _defaults.Resolve(uri) : uri;
            return Exchanges is null
                ? Endpoint.Core.Requester.PingAsync(target, time, cancellationToken)
                : Exchanges.RunAsync(
                    (Endpoint, target, time),
                    static (all, token) => all.Endpoint.Core.Requester.PingAsync(all.target, all.time, token), cancellationToken);
        }
        catch (Exception exception) when (exception is ArgumentException or InvalidOperationException)
        {
            return Task.FromException<TimeSpan>(exception);
        }
    }

    /// <summary>Ends what runs for the client, and closes the endpoint if the client owns it.</summary>
    /// <remarks>
    /// On a client with its own endpoint, pending requests fail with a <see cref="CoapException"/> whose
    /// <see cref="CoapException.Error"/> is <see cref="CoapError.EndpointStopped"/>, and observations end as
    /// <see cref="CoapObserveState.Failed"/>. On a shared endpoint, pending requests, pings and group requests of the client fail with an
    /// <see cref="ObjectDisposedException"/>, and its observations are disposed. Everything else on the endpoint continues, and so does the
    /// transfer of a body of <see cref="CoapClientRequestExtensions.OpenReadAsync(ICoapClient, CoapRequest, CancellationToken)"/>, which
    /// its response ends. Later requests fail with an <see cref="ObjectDisposedException"/> in both cases.
    /// </remarks>
    /// <returns>A task that completes when the sockets are closed; on a shared endpoint, a completed task.</returns>
    public ValueTask DisposeAsync()
    {
        Volatile.Write(ref _isDisposed, true);
        GC.SuppressFinalize(this);
        if (Exchanges is null)
        {
            return Endpoint.DisposeAsync();
        }

        Exchanges.Dispose();
        return ValueTask.CompletedTask;
    }

    private CoapRequest Prepare(CoapRequest request)
    {
        ObjectDisposedException.ThrowIf(Volatile.Read(ref _isDisposed), this);
        // The defaults report a relative URI without a base address.
        return _hasDefaults || request is { Uri.IsAbsolute: false } ? _defaults.Apply(request) : request;
    }
}
