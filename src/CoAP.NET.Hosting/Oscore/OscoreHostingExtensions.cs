using CoAP.NET.Oscore;
using Microsoft.Extensions.DependencyInjection;

namespace CoAP.NET.Hosting;

/// <summary>Adds OSCORE (RFC 8613) to hosted servers.</summary>
public static class OscoreHostingExtensions
{
    /// <summary>
    /// Lets a server accept protected requests even without configured files (<see cref="CoapServerOptions.Oscore"/>), with contexts from a
    /// resolver or from the <see cref="OscoreContexts"/> of the server.
    /// </summary>
    /// <param name="builder">The server.</param>
    /// <param name="resolver">
    /// Returns an object that finds the contexts of many devices, for example in a database; it gets the services of the application. Null
    /// for none.
    /// </param>
    /// <returns>The builder.</returns>
    /// <remarks>
    /// You can inject the <see cref="OscoreContexts"/>; for a server with a name with <c>[FromKeyedServices("NAME")]</c>.
    /// </remarks>
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
