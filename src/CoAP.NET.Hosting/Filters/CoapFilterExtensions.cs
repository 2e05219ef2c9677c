using System.Diagnostics.CodeAnalysis;
using CoAP.NET.Hosting;

namespace CoAP.NET;

/// <summary>Adds filter classes around handlers. For functions see <see cref="CoapRouteConventions{TSelf}.AddFilter"/>.</summary>
public static class CoapFilterExtensions
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
        return route.AddFilterFactory(Make<TFilter>);
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
        return group.AddFilterFactory(Make<TFilter>);
    }

    private static CoapHandler Make<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TFilter>(
        CoapRouteInfo route, CoapHandler next)
        where TFilter : class, ICoapEndpointFilter =>
        (request, cancellationToken) =>
        {
            IServiceProvider services = RequestService.Of(request, $"The filter {typeof(TFilter).Name}");
            TFilter filter = RequestService.Get<TFilter>(services, out bool made);
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
}
