namespace CoAP.NET.Hosting;

/// <summary>A client with a base address, defaults and handlers.</summary>
internal sealed class HostedClient : ICoapClient
{
    private readonly CoapClientOptions _options;
    private readonly CoapRequestDefaults _defaults;
    private readonly CoapClientStep _first;
    private readonly bool _copies;

    public HostedClient(string name, CoapEndpoint endpoint, CoapClientOptions options, IEnumerable<ICoapClientHandler> handlers)
    {
        Name = name;
        Endpoint = endpoint;
        _options = options;
        _defaults = options.ToDefaults();
        _first = endpoint.SendAsync;
        foreach (ICoapClientHandler handler in handlers.Reverse())
        {
            CoapClientStep next = _first;
            _first = (request, cancellationToken) => handler.SendAsync(request, next, cancellationToken);
            _copies = true;
        }

        _copies |= options.ConfigureRequest is not null;
    }

    public string Name { get; }

    public CoapUri? BaseAddress => _defaults.BaseAddress;

    public CoapEndpoint Endpoint { get; }

    public Task<CoapResponse> SendAsync(CoapRequest request, CancellationToken cancellationToken = default)
    {
        try
        {
            return _first(Prepare(request), cancellationToken);
        }
        catch (Exception exception) when (exception is ArgumentException or InvalidOperationException)
        {
            return Task.FromException<CoapResponse>(exception);
        }
    }

    public Task<CoapObservation> ObserveAsync(CoapRequest request, CoapObserveOptions? options = null,
        CancellationToken cancellationToken = default)
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

    public Task<TimeSpan> PingAsync(string? uri = null, CancellationToken cancellationToken = default) =>
        _defaults.Timeout is { } timeout
            ? PingAsync(uri, timeout, cancellationToken)
            : Endpoint.PingAsync(_defaults.Resolve(uri ?? ""), cancellationToken);

    public Task<TimeSpan> PingAsync(string? uri, TimeSpan timeout, CancellationToken cancellationToken = default) =>
        Endpoint.PingAsync(_defaults.Resolve(uri ?? ""), timeout, cancellationToken);

    public IAsyncEnumerable<CoapGroupResponse> SendToGroupAsync(CoapRequest request, CoapGroupRequestOptions? options = null,
        CancellationToken cancellationToken = default) =>
            Endpoint.SendToGroupAsync(Prepare(request), options, cancellationToken);

    private CoapRequest Prepare(CoapRequest request)
    {
        CoapRequest applied = _defaults.Apply(request);
        if (_copies && ReferenceEquals(applied, request))
        {
            // Handlers may change it.
            applied = request.WithUri(request.UriText!);
        }

        _options.ConfigureRequest?.Invoke(applied);
        return applied;
    }
}
