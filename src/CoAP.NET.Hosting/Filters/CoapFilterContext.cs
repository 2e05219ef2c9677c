namespace CoAP.NET.Hosting;

/// <summary>What a filter knows of the request that it stands before.</summary>
public sealed class CoapFilterContext
{
    /// <summary>Makes a context, such as for a test of a filter.</summary>
    /// <param name="request">The request.</param>
    /// <param name="route">The route.</param>
    /// <param name="services">The services for the request.</param>
    /// <param name="cancellationToken">Cancelled when nobody waits for the answer any more.</param>
    public CoapFilterContext(CoapRequest request, CoapRouteInfo? route, IServiceProvider services,
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
    public CoapRequest Request { get; }

    /// <summary>The route that serves it, with what was attached to it; null outside of a server.</summary>
    public CoapRouteInfo? Route { get; }

    /// <summary>The services for the request.</summary>
    public IServiceProvider Services { get; }

    /// <summary>Cancelled when nobody waits for the answer any more.</summary>
    public CancellationToken CancellationToken { get; }
}
