using System.Threading.RateLimiting;
using CoAP.NET.Hosting.Authorization;
using Microsoft.Extensions.DependencyInjection;

namespace CoAP.NET.Hosting.RateLimiting;

/// <summary>Holds a lease of a limiter while the server serves a request.</summary>
internal sealed class RateLimitFilter(CoapRateLimitMetadata metadata, PartitionedRateLimiter<CoapRequestContext>? limiter,
    TimeSpan? retryAfter)
{
    // The same for all requests, after the first lookup.
    private Limit? _limit = limiter is null ? null : new Limit(limiter, retryAfter ?? TimeSpan.FromSeconds(5));

    /// <summary>
    /// Adds the limit before the next handler, unless the route has none: the last setting of route and groups counts, from the outside in.
    /// </summary>
    public CoapHandler Make(CoapRouteInfo route, CoapHandler next)
    {
        bool isFree = route.Metadata.SkipWhile(item => !ReferenceEquals(item, metadata))
            .Any(static item => item is CoapNoRateLimitMetadata);
        return isFree ? next : (request, cancellationToken) => InvokeAsync(request, next, cancellationToken);
    }

    private ValueTask<CoapResult> InvokeAsync(CoapRequestContext request, CoapHandler next, CancellationToken cancellationToken)
    {
        // It is not a request of a peer, and its receivers have passed the limit.
        if (request.IsForObservers)
        {
            return next(request, cancellationToken);
        }

        Limit limit = _limit ??= Find(request);
        ValueTask<RateLimitLease> pending = limit.Limiter.AcquireAsync(request, 1, cancellationToken);
        if (!pending.IsCompletedSuccessfully)
        {
            return AwaitAsync(limit, pending, request, next, cancellationToken);
        }

        RateLimitLease lease = pending.Result;
        return ServeAsync(limit, lease, request, next, cancellationToken);
    }

    private static async ValueTask<CoapResult> AwaitAsync(Limit limit, ValueTask<RateLimitLease> pending, CoapRequestContext request,
        CoapHandler next, CancellationToken cancellationToken) =>
            await ServeAsync(limit, await pending.ConfigureAwait(false), request, next, cancellationToken).ConfigureAwait(false);

    private static async ValueTask<CoapResult> ServeAsync(Limit limit, RateLimitLease lease, CoapRequestContext request, CoapHandler next,
        CancellationToken cancellationToken)
    {
        using (lease)
        {
            return lease.IsAcquired ? await next(request, cancellationToken).ConfigureAwait(false) : Refuse(limit, lease);
        }
    }

    private static CoapResult Refuse(Limit limit, RateLimitLease lease)
    {
        TimeSpan wait = lease.TryGetMetadata(MetadataName.RetryAfter, out TimeSpan known) ? known : limit.RetryAfter;

        // At least a second: a client without a wait returns immediately.
        return CoapResults.TooManyRequests(TimeSpan.FromSeconds(Math.Clamp(Math.Ceiling(wait.TotalSeconds), 1, uint.MaxValue)));
    }

    private Limit Find(CoapRequestContext request)
    {
        RateLimiters limiters = RequestServiceResolver.Of(request, $"The rate limit {metadata.LimitName}").GetService<RateLimiters>()
            ?? throw new InvalidOperationException(
                $"There is no rate limit '{metadata.LimitName}'. Add it by services.AddCoapRateLimits(options => "
                    + $"options.AddLimit(\"{metadata.LimitName}\", ...)).");
        return new Limit(limiters.Get(metadata.LimitName!), limiters.DefaultRetryAfter);
    }

    private sealed record Limit(PartitionedRateLimiter<CoapRequestContext> Limiter, TimeSpan RetryAfter);
}
