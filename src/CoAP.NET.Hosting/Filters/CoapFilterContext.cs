namespace CoAP.NET.Hosting;

/// <summary>The input of a filter: the request, its route and its services.</summary>
public sealed class CoapFilterContext
{
    /// <summary>Creates a context, for example for a test of a filter.</summary>
    /// <param name="request">The request.</param>
    /// <param name="route">The route.</param>
    /// <param name="services">The services for the request.</param>
    /// <param name="cancellationToken">Cancelled when the caller no longer waits for the answer.</param>
    public CoapFilterContext(CoapRequestContext request, CoapRouteInfo? route, IServiceProvider services,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(request);
        ArgumentNullException.ThrowIfNull(services);
        Request = request;
        Route = route;
        Services = services;
        CancellationToken = cancellationToken;
    }

    /// <summary>The request.</summary>
    public CoapRequestContext Request { get; }

    /// <summary>The route that serves it, with its metadata; null outside of a server.</summary>
    public CoapRouteInfo? Route { get; }

    /// <summary>The services for the request.</summary>
    public IServiceProvider Services { get; }

    /// <summary>Cancelled when the caller no longer waits for the answer.</summary>
    public CancellationToken CancellationToken { get; }
}
