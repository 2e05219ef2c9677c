namespace CoAP.NET.Hosting;

/// <summary>A client with a base address, defaults and handlers.</summary>
internal sealed class HostedClient : ICoapClient
{
    private readonly CoapClientOptions _options;
    private readonly CoapClientStep _first;
    private readonly bool _copies;

    public HostedClient(string name, CoapEndpoint endpoint, CoapClientOptions options, IEnumerable<ICoapClientHandler> handlers)
    {
        Name = name;
        Endpoint = endpoint;
        _options = options;
        BaseAddress = options.BaseAddress is { } address ? CoapUri.Parse(address) : null;
        _first = endpoint.SendAsync;
        foreach (ICoapClientHandler handler in handlers.Reverse())
        {
            CoapClientStep next = _first;
            _first = (request, cancellationToken) => handler.SendAsync(request, next, cancellationToken);
            _copies = true;
        }

        _copies |= options.ChangesRequests;
    }

    public string Name { get; }

    public CoapUri? BaseAddress { get; }

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

    public Task<CoapObservation> ObserveAsync(CoapRequest request, CoapObserveOptions? options = null, CancellationToken cancellationToken = default)
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
        Endpoint.PingAsync(Absolute(uri ?? ""), cancellationToken);

    public IAsyncEnumerable<CoapGroupResponse> SendToGroupAsync(CoapRequest request, CoapGroupRequestOptions? options = null, CancellationToken cancellationToken = default) =>
        Endpoint.SendToGroupAsync(Prepare(request), options, cancellationToken);

    private CoapRequest Prepare(CoapRequest request)
    {
        ArgumentNullException.ThrowIfNull(request);
        if (request.UriText is not { } text)
        {
            throw new ArgumentException("The request has no URI. Make it with one; it may be relative to the base address.", nameof(request));
        }

        string uri = Absolute(text);
        if (!_copies && ReferenceEquals(uri, text))
        {
            return request;
        }

        CoapRequest copy = request.WithUri(uri);
        copy.Timeout ??= _options.Timeout;
        if (_options.Accept is { } accept && copy.Accept is null)
        {
            copy.Accept = accept;
        }

        copy.Confirmable &= _options.Confirmable;
        _options.ConfigureRequest?.Invoke(copy);
        return copy;
    }

    private string Absolute(string uri)
    {
        if (BaseAddress is null)
        {
            return uri.Contains("://", StringComparison.Ordinal)
                ? uri
                : throw new ArgumentException($"'{uri}' is relative, and the client{(Name.Length == 0 ? "" : $" '{Name}'")} has no base address. Set CoapClientOptions.BaseAddress, or give the whole URI.", nameof(uri));
        }

        return BaseAddress.TryResolve(uri, out CoapUri? absolute, out string? error) ? absolute.ToString() : throw new ArgumentException(error, nameof(uri));
    }
}
