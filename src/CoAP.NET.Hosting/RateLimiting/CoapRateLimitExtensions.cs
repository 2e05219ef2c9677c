using System.Threading.RateLimiting;
using CoAP.NET.Hosting;

namespace CoAP.NET;

/// <summary>Limits the rate or concurrency of routes with <see cref="System.Threading.RateLimiting"/>.</summary>
/// <remarks>
/// A rejected request gets 4.29 Too Many Requests, with the time to wait as Max-Age (RFC 8516). Limits of groups and routes add up. A limit
/// runs as a filter at the place where you add it.
/// </remarks>
public static class CoapRateLimitExtensions
{
    /// <summary>
    /// Limits requests with a named limit of <c>services.AddCoapRateLimits(...)</c>. An unknown name leads to 5.00 and a log message.
    /// </summary>
    /// <typeparam name="TSelf">The type of the route or group; <c>server.Routes</c> is the group of all routes.</typeparam>
    /// <param name="routes">The route or group.</param>
    /// <param name="limit">The name of the limit.</param>
    /// <returns>The route or group.</returns>
    /// <exception cref="ArgumentException">The name is empty.</exception>
    public static TSelf RequireRateLimit<TSelf>(this CoapRouteConventions<TSelf> routes, string limit)
        where TSelf : CoapRouteConventions<TSelf>
    {
        ArgumentException.ThrowIfNullOrEmpty(limit);
        return Add(routes, limit, null, null);
    }

    /// <summary>Limits requests with a limiter.</summary>
    /// <typeparam name="TSelf">The type of the route or group; <c>server.Routes</c> is the group of all routes.</typeparam>
    /// <param name="routes">The route or group.</param>
    /// <param name="limiter">
    /// The limiter, such as one of <see cref="PartitionedRateLimiter.Create"/> with a key of <see cref="CoapRateLimitKey"/>. The caller
    /// disposes it.
    /// </param>
    /// <param name="retryAfter">The time to wait if the limiter does not know it; null for 5 s. At least 1 s.</param>
    /// <returns>The route or group.</returns>
    /// <remarks>
    /// A request takes a permit before the handler and returns it with its answer; a limiter with a queue lets requests wait. The server's
    /// own work for observers takes none, and a body of many blocks takes one.
    /// </remarks>
    public static TSelf RequireRateLimit<TSelf>(this CoapRouteConventions<TSelf> routes, PartitionedRateLimiter<CoapRequest> limiter,
        TimeSpan? retryAfter = null)
        where TSelf : CoapRouteConventions<TSelf>
    {
        ArgumentNullException.ThrowIfNull(limiter);
        return Add(routes, null, limiter, retryAfter);
    }

    /// <summary>Serves without limit, in spite of outer groups or earlier calls. Later limits, and those of inner groups, apply.</summary>
    /// <typeparam name="TSelf">The type of the route or group.</typeparam>
    /// <param name="routes">The route or group.</param>
    /// <returns>The route or group.</returns>
    public static TSelf DisableRateLimit<TSelf>(this CoapRouteConventions<TSelf> routes)
        where TSelf : CoapRouteConventions<TSelf>
    {
        ArgumentNullException.ThrowIfNull(routes);
        return routes.WithMetadata(new CoapNoRateLimitMetadata());
    }

    private static TSelf Add<TSelf>(CoapRouteConventions<TSelf> routes, string? name, PartitionedRateLimiter<CoapRequest>? limiter,
        TimeSpan? retryAfter)
        where TSelf : CoapRouteConventions<TSelf>
    {
        ArgumentNullException.ThrowIfNull(routes);
        CoapRateLimitMetadata metadata = new(name);
        return routes.WithMetadata(metadata).AddFilterFactory(new RateLimitFilter(metadata, limiter, retryAfter).Make);
    }
}
