using CoAP.NET.Endpoints;
using CoAP.NET.Hosting.Parts;
using CoAP.NET.RequestSteps;

namespace CoAP.NET.Hosting.Clients;

/// <summary>A client with a base address, defaults and handlers.</summary>
internal sealed class HostedClient : IEndpointClient
{
    private readonly CoapClientOptions _options;
    private readonly CoapRequestDefaults _defaults;
    private readonly CoapUri? _proxy;
    private readonly InnermostClientHandler? _link;
    private readonly Func<CoapRequest, CancellationToken, Task<CoapResponse>> _first;
    private readonly bool _copies;

    public HostedClient(
        CoapEndpoint endpoint, InnermostClientHandler? link, CoapClientOptions options, IEnumerable<ICoapClientHandler> handlers)
    {
        Endpoint = endpoint;
        _options = options;
        _defaults = options.ToDefaults();
        _proxy = options.Proxy;
        _link = link;
        Func<CoapRequest, CancellationToken, Task<CoapResponse>> send = _proxy is null
            ? endpoint.SendAsync : (request, cancellationToken) => endpoint.SendAsync(Proxied(request), cancellationToken);
        _first = link is null
            ? send
            : (request, cancellationToken) => link.SendAsync(request, () => send(request, cancellationToken), cancellationToken);
        foreach (ICoapClientHandler handler in handlers.Reverse())
        {
            Func<CoapRequest, CancellationToken, Task<CoapResponse>> next = _first;
            _first = (request, cancellationToken) => handler.SendAsync(request, next, cancellationToken);
            _copies = true;
        }

        _copies |= options.ConfigureRequest is not null;
    }

    public CoapUri? BaseAddress => _defaults.BaseAddress;

    public CoapUri? Proxy => _proxy;

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

    public Task<CoapObservation> ObserveAsync(CoapRequest request, CoapObservationOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        try
        {
            CoapRequest prepared = Prepare(request);
            return _link is null
                ? Observe(prepared)
                : _link.ObserveAsync(prepared, () => Observe(prepared), cancellationToken);
        }
        catch (Exception exception) when (exception is ArgumentException or InvalidOperationException)
        {
            return Task.FromException<CoapObservation>(exception);
        }

        Task<CoapObservation> Observe(CoapRequest one) => Endpoint.ObserveAsync(Proxied(one), options, cancellationToken);
    }

    public Task<TimeSpan> PingAsync(CoapUri? uri, TimeSpan? timeout, CancellationToken cancellationToken) =>
        Endpoint.PingAsync(_defaults.Resolve(uri ?? CoapUri.FromString("")), timeout ?? _defaults.Timeout, cancellationToken);

    public IAsyncEnumerable<CoapGroupResponse> SendToGroupAsync(CoapRequest request, CoapGroupRequestOptions? options,
        CancellationToken cancellationToken) =>
            _proxy is null
                ? Endpoint.SendToGroupAsync(Prepare(request), options, cancellationToken)
                : throw new InvalidOperationException("A client with a Proxy cannot send requests to groups. Use a client without a "
                    + "Proxy.");

    // Last of all, so that handlers see the target and not the proxy.
    private CoapRequest Proxied(CoapRequest request) =>
        _proxy is { } proxy && ProxiedRequestFactory.TakesProxy(request) ? request.WithProxy(proxy) : request;

    private CoapRequest Prepare(CoapRequest request)
    {
        CoapRequest applied = _defaults.Apply(request);
        if (_copies && ReferenceEquals(applied, request))
        {
            // Handlers may modify it.
            applied = request.WithUri(request.Uri!);
        }

        _options.ConfigureRequest?.Invoke(applied);
        return applied;
    }
}
