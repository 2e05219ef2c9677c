using System.Diagnostics.CodeAnalysis;
using CoAP.NET;
using Microsoft.Extensions.DependencyInjection.Extensions;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Configures the serialization of bodies and results for all CoAP servers of a host.</summary>
public static class CoapJsonServiceCollectionExtensions
{
    /// <summary>Configures JSON and CBOR for the handlers of CoAP servers.</summary>
    /// <param name="services">The services.</param>
    /// <param name="configure">Changes the options.</param>
    /// <returns>The services.</returns>
    public static IServiceCollection ConfigureCoapJson(this IServiceCollection services, Action<CoapJsonOptions> configure) =>
        services.Configure(configure);

    /// <summary>Adds a format in which handlers of CoAP servers take bodies and return results, besides JSON and CBOR.</summary>
    /// <param name="services">The services.</param>
    /// <param name="formatter">Reads and writes the format.</param>
    /// <returns>The services.</returns>
    public static IServiceCollection AddCoapFormatter(this IServiceCollection services, ICoapFormatter formatter)
    {
        ArgumentNullException.ThrowIfNull(formatter);
        return services.Configure<CoapJsonOptions>(options => options.Formatters.Add(formatter));
    }

    /// <summary>
    /// Adds a format in which handlers of CoAP servers take bodies and return results, besides JSON and CBOR; the container creates the
    /// formatter once.
    /// </summary>
    /// <typeparam name="TFormatter">Reads and writes the format.</typeparam>
    /// <param name="services">The services.</param>
    /// <returns>The services.</returns>
    public static IServiceCollection AddCoapFormatter<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)]
    TFormatter>(this IServiceCollection services)
        where TFormatter : class, ICoapFormatter
    {
        services.TryAddSingleton<TFormatter>();
        services.AddOptions<CoapJsonOptions>().Configure<TFormatter>(static (options, formatter) => options.Formatters.Add(formatter));
        return services;
    }
}
