using CoAP.NET.Hosting;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Adds authorization policies for CoAP routes.</summary>
public static class CoapAuthorizationServiceCollectionExtensions
{
    /// <summary>Adds policies. You may call it several times.</summary>
    /// <param name="services">The services.</param>
    /// <param name="configure">Adds policies.</param>
    /// <returns>The services.</returns>
    public static IServiceCollection AddCoapAuthorization(this IServiceCollection services, Action<CoapAuthorizationOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentNullException.ThrowIfNull(configure);
        return services.Configure(configure);
    }
}
