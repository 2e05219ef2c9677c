using CoAP.NET.Oscore;
using Microsoft.Extensions.DependencyInjection;

namespace CoAP.NET.Hosting;

/// <summary>Gives hosted servers OSCORE (RFC 8613).</summary>
public static class OscoreHostingExtensions
{
    /// <summary>
    /// Has a server take protected requests also where configuration names no files (<see cref="CoapServerOptions.Oscore"/>), by contexts
    /// that a resolver finds, or that are added to the <see cref="OscoreContexts"/> of the server, which can be injected; of a server with
    /// a name by <c>[FromKeyedServices("NAME")]</c>.
    /// </summary>
    /// <param name="builder">The server.</param>
    /// <param name="resolver">Gives what finds contexts of many devices, such as in a database; is given the services of the application.
    /// Null for none.</param>
    /// <returns>The builder.</returns>
    public static ICoapServerBuilder UseOscore(
        this ICoapServerBuilder builder, Func<IServiceProvider, IOscoreContextResolver>? resolver = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.Configure((options, services) =>
        {
            options.UsesOscore = true;
            options.OscoreResolver = resolver?.Invoke(services) ?? options.OscoreResolver;
        });
    }
}
