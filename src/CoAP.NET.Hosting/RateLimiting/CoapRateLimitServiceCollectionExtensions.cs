using CoAP.NET.Hosting;
using Microsoft.Extensions.DependencyInjection.Extensions;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Adds named rate limits for CoAP routes.</summary>
public static class CoapRateLimitServiceCollectionExtensions
{
    /// <summary>Adds limits. You may call it several times.</summary>
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
