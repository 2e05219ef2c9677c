using CoAP.NET.Hosting;
using Microsoft.Extensions.DependencyInjection.Extensions;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Adds limits that CoAP routes require by name.</summary>
public static class CoapRateLimitServiceCollectionExtensions
{
    /// <summary>Adds limits. May be called several times.</summary>
    /// <param name="services">The services.</param>
    /// <param name="configure">Adds limits.</param>
    /// <returns>The services.</returns>
    public static IServiceCollection AddCoapRateLimits(this IServiceCollection services, Action<CoapRateLimitOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentNullException.ThrowIfNull(configure);
        services.Configure(configure);
        services.TryAddSingleton<RateLimiters>();
        return services;
    }
}
