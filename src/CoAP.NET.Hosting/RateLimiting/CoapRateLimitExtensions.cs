using System.Threading.RateLimiting;
using CoAP.NET.Hosting;

namespace CoAP.NET;

/// <summary>
/// Limits how often, or how many at a time, routes are used, by <see cref="System.Threading.RateLimiting"/>. What a limit holds back is
/// answered 4.29 Too Many Requests, with how long to wait as Max-Age (RFC 8516). Limits of groups and routes add up. A limit stands among
/// the filters where it was added.
/// </summary>
public static class CoapRateLimitExtensions
{
    /// <summary>
    /// Limits requests by a limit of <c>services.AddCoapRateLimits(...)</c>. A name that is not known is answered 5.00 and logged.
    /// </summary>
    /// <typeparam name="TSelf">Route or group; <c>server.Routes</c> is the group of all routes.</typeparam>
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

    /// <summary>
    /// Limits requests by a limiter. A permit is taken before the handler and given back when its answer is there; a limiter with a queue
    /// lets requests wait. What the server does for observers by itself takes none, and a body of many blocks one.
    /// </summary>
    /// <typeparam name="TSelf">Route or group; <c>server.Routes</c> is the group of all routes.</typeparam>
    /// <param name="routes">The route or group.</param>
    /// <param name="limiter">The limiter, such as by <see cref="PartitionedRateLimiter.Create"/> with a key of
    /// <see cref="CoapRateLimitKey"/>. Who made it disposes it.</param>
    /// <param name="retryAfter">How long a client is told to wait when the limiter does not know it; null for 5 s. At least 1 s is
    /// told.</param>
    /// <returns>The route or group.</returns>
    public static TSelf RequireRateLimit<TSelf>(this CoapRouteConventions<TSelf> routes, PartitionedRateLimiter<CoapRequest> limiter,
        TimeSpan? retryAfter = null)
        where TSelf : CoapRouteConventions<TSelf>
    {
        ArgumentNullException.ThrowIfNull(limiter);
        return Add(routes, null, limiter, retryAfter);
    }

    /// <summary>
    /// Serves without limit, whatever groups around or earlier calls say. Limits that are required after it or further inside hold.
    /// </summary>
    /// <typeparam name="TSelf">Route or group.</typeparam>
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
