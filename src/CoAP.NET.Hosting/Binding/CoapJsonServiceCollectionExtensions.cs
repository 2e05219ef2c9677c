using CoAP.NET;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Configures JSON and CBOR serialization for all CoAP servers of a host.</summary>
public static class CoapJsonServiceCollectionExtensions
{
    /// <summary>Configures JSON and CBOR for the handlers of CoAP servers.</summary>
    /// <param name="services">The services.</param>
    /// <param name="configure">Changes the options.</param>
    /// <returns>The services.</returns>
    public static IServiceCollection ConfigureCoapJson(this IServiceCollection services, Action<CoapJsonOptions> configure) =>
        services.Configure(configure);
}
