using System.Diagnostics.CodeAnalysis;
using System.Threading.RateLimiting;
using CoAP.NET.Hosting;
using CoAP.NET.Hosting.Authorization;
using CoAP.NET.Hosting.Problems;
using CoAP.NET.Hosting.RateLimiting;
using CoAP.NET.Settings;

namespace CoAP.NET;

/// <summary>Adds filters, rate limits, error descriptions and resource classes to routes and groups.</summary>
/// <remarks>
/// A request that a rate limit rejects gets 4.29 Too Many Requests, with the time to wait as Max-Age (RFC 8516). Limits of groups and
/// routes add up. A filter or limit runs at the place where you add it. For filters that are functions see
/// <see cref="CoapRouteConventions{TSelf}.AddFilter"/>.
/// </remarks>
public static class CoapRouteConventionsExtensions
{
    /// <summary>Adds a filter around the handler of a route.</summary>
    /// <typeparam name="TFilter">
    /// The type of the filter. If it is not a registered service, each request gets a new instance, with services for the parameters of its
    /// constructor, and disposes it afterwards.
    /// </typeparam>
    /// <param name="route">The route.</param>
    /// <returns>The route.</returns>
    public static CoapRouteHandlerBuilder AddFilter<[DynamicallyAccessedMembers(
        DynamicallyAccessedMemberTypes.PublicConstructors)] TFilter>(this CoapRouteHandlerBuilder route)
        where TFilter : class, ICoapEndpointFilter
    {
        ArgumentNullException.ThrowIfNull(route);
        return route.AddFilterFactory(MakeFilter<TFilter>);
    }

    /// <summary>Adds a filter around the handlers of a group; <c>server.Routes</c> is the group of all routes of a server.</summary>
    /// <typeparam name="TFilter">
    /// The type of the filter. If it is not a registered service, each request gets a new instance, with services for the parameters of its
    /// constructor, and disposes it afterwards.
    /// </typeparam>
    /// <param name="group">The group.</param>
    /// <returns>The group.</returns>
    public static CoapRouteGroup AddFilter<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TFilter>(
        this CoapRouteGroup group)
        where TFilter : class, ICoapEndpointFilter
    {
        ArgumentNullException.ThrowIfNull(group);
        return group.AddFilterFactory(MakeFilter<TFilter>);
    }

    private static CoapHandler MakeFilter<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TFilter>(
        CoapRouteInfo route, CoapHandler next)
        where TFilter : class, ICoapEndpointFilter =>
        (request, cancellationToken) =>
        {
            IServiceProvider services = RequestServiceResolver.Of(request, $"The filter {typeof(TFilter).Name}");
            TFilter filter = RequestServiceResolver.Get<TFilter>(services, out bool made);
            CoapFilterContext context = new(request, route, services, cancellationToken);
            return made && filter is IDisposable or IAsyncDisposable
                ? InvokeAndDisposeAsync(filter, context, next)
                : filter.InvokeAsync(context, next);
        };

    private static async ValueTask<CoapResult> InvokeAndDisposeAsync(ICoapEndpointFilter filter, CoapFilterContext context,
        CoapHandler next)
    {
        try
        {
            return await filter.InvokeAsync(context, next).ConfigureAwait(false);
        }
        finally
        {
            if (filter is IAsyncDisposable disposable)
            {
                await disposable.DisposeAsync().ConfigureAwait(false);
            }
            else
            {
                (filter as IDisposable)?.Dispose();
            }
        }
    }

    /// <summary>Describes errors with concise problem details (RFC 9290).</summary>
    /// <typeparam name="TSelf">
    /// The type of the route or group; <c>server.Routes</c> is the group of all routes, which also covers unknown paths.
    /// </typeparam>
    /// <param name="routes">The route or group.</param>
    /// <param name="configure">Sets options; null for none.</param>
    /// <returns>The route or group.</returns>
    /// <remarks>
    /// It covers error answers without payload or with a diagnostic text, invalid payloads, unhandled exceptions, and refusals of the
    /// server itself, such as unknown paths. Clients that accept problem details or sent no Accept get them; others get a diagnostic text.
    /// Answers with a Content-Format stay unmodified.
    /// </remarks>
    public static TSelf WithProblemDetails<TSelf>(this CoapRouteConventions<TSelf> routes, Action<CoapProblemOptions>? configure = null)
        where TSelf : CoapRouteConventions<TSelf>
    {
        ArgumentNullException.ThrowIfNull(routes);
        CoapProblemOptions options = new();
        configure?.Invoke(options);
        options.MakeReadOnly("a route");
        ProblemDescriber describer = new(options);
        return options.IncludeExceptions is null
            ? routes.AddFilter(describer.LearnEnvironment).WithErrorContent(describer.Describe)
            : routes.WithErrorContent(describer.Describe);
    }

    /// <summary>
    /// Limits requests with a named limit of <c>services.AddCoapRateLimits(...)</c>. An unknown name leads to 5.00 and a log message.
    /// </summary>
    /// <typeparam name="TSelf">The type of the route or group; <c>server.Routes</c> is the group of all routes.</typeparam>
    /// <param name="routes">The route or group.</param>
    /// <param name="limit">The name of the limit.</param>
    /// <returns>The route or group.</returns>
    /// <exception cref="ArgumentException">The name is empty.</exception>
    public static TSelf RequireRateLimiting<TSelf>(this CoapRouteConventions<TSelf> routes, string limit)
        where TSelf : CoapRouteConventions<TSelf>
    {
        ArgumentException.ThrowIfNullOrEmpty(limit);
        return AddLimit(routes, limit, null, null);
    }

    /// <summary>Limits requests with a limiter.</summary>
    /// <typeparam name="TSelf">The type of the route or group; <c>server.Routes</c> is the group of all routes.</typeparam>
    /// <param name="routes">The route or group.</param>
    /// <param name="limiter">
    /// The limiter, such as one of <see cref="PartitionedRateLimiter.Create"/> by <see cref="CoapPeer.Source"/>. The caller
    /// disposes it.
    /// </param>
    /// <param name="retryAfter">The time to wait if the limiter does not know it; null for 5 s. At least 1 s.</param>
    /// <returns>The route or group.</returns>
    /// <remarks>
    /// A request takes a permit before the handler and returns it with its answer; a limiter with a queue lets requests wait. The server's
    /// own work for observers takes none, and a body of many blocks takes one. A limiter by source keeps a partition for each, also for
    /// forged addresses: put <c>RequireAuthorization(policy => policy.RequireVerifiedAddress())</c> before it.
    /// </remarks>
    public static TSelf RequireRateLimiting<TSelf>(this CoapRouteConventions<TSelf> routes,
        PartitionedRateLimiter<CoapRequestContext> limiter, TimeSpan? retryAfter = null)
        where TSelf : CoapRouteConventions<TSelf>
    {
        ArgumentNullException.ThrowIfNull(limiter);
        return AddLimit(routes, null, limiter, retryAfter);
    }

    /// <summary>Serves without limit, in spite of outer groups or earlier calls. Later limits, and those of inner groups, apply.</summary>
    /// <typeparam name="TSelf">The type of the route or group.</typeparam>
    /// <param name="routes">The route or group.</param>
    /// <returns>The route or group.</returns>
    public static TSelf DisableRateLimiting<TSelf>(this CoapRouteConventions<TSelf> routes)
        where TSelf : CoapRouteConventions<TSelf>
    {
        ArgumentNullException.ThrowIfNull(routes);
        return routes.WithMetadata(new CoapNoRateLimitMetadata());
    }

    private static TSelf AddLimit<TSelf>(CoapRouteConventions<TSelf> routes, string? name,
        PartitionedRateLimiter<CoapRequestContext>? limiter, TimeSpan? retryAfter)
        where TSelf : CoapRouteConventions<TSelf>
    {
        ArgumentNullException.ThrowIfNull(routes);
        CoapRateLimitMetadata metadata = new(name);
        return routes.WithMetadata(metadata).AddFilterFactory(new RateLimitFilter(metadata, limiter, retryAfter).Make);
    }

    /// <summary>Maps a resource class, whose instance each request gets from its services.</summary>
    /// <typeparam name="TResource">
    /// The class. If it is not a registered service, each request gets a new instance, with services for the parameters of its constructor;
    /// then it must not be disposable, because no code would dispose it.
    /// </typeparam>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path, such as <c>/lock</c> or <c>/devices/{id}</c>.</param>
    /// <returns>The route, for further configuration.</returns>
    /// <exception cref="ArgumentException">The template is invalid.</exception>
    /// <exception cref="InvalidOperationException">The path already has a handler.</exception>
    /// <remarks>
    /// A scoped service has one instance per request, a singleton one in total. Override <c>GetAsync</c> and so on; methods without an
    /// override lead to 4.05. Configure path, link attributes and observation here, on the returned route.
    /// </remarks>
    public static CoapRouteHandlerBuilder MapResource<[DynamicallyAccessedMembers(
        DynamicallyAccessedMemberTypes.PublicConstructors)] TResource>(
            this ICoapRouteBuilder routes, string template)
        where TResource : CoapResource =>
        routes.AddResource(template,
            static request => RequestServiceResolver.GetUndisposed<TResource>(request, $"The resource {typeof(TResource).Name}"));
}
