using CoAP.NET.Edhoc;
using CoAP.NET.Oscore;
using Microsoft.Extensions.DependencyInjection;

namespace CoAP.NET.Hosting;

/// <summary>Gives hosted servers and clients EDHOC (RFC 9528), which makes the keys of OSCORE.</summary>
public static class EdhocHostingExtensions
{
    /// <summary>
    /// Has a server agree on keys with clients, by credentials of code, of the file that configuration names
    /// (<see cref="CoapServerOptions.Edhoc"/>), or both. It is served at <see cref="CoapEdhocServerFileOptions.Path"/> over all transports
    /// and to everybody, as it protects itself; the security contexts of sessions are added to the <see cref="OscoreContexts"/> of the
    /// server. The <see cref="EdhocServer"/> can be injected, for its counters; of a server with a name by
    /// <c>[FromKeyedServices("NAME")]</c>.
    /// </summary>
    /// <param name="builder">The server.</param>
    /// <param name="configure">Sets options, after configuration; is given the services of the application. Credentials that it adds are
    /// its own to dispose. Null for none.</param>
    /// <returns>The builder.</returns>
    public static ICoapServerBuilder UseEdhoc(
        this ICoapServerBuilder builder, Action<EdhocServerOptions, IServiceProvider>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.Configure((options, services) =>
            options.EdhocSteps.Add(edhoc => configure?.Invoke(edhoc, services)));
    }

    /// <summary>
    /// Has a client agree on keys with its server when it sends the first request, and anew when the server has lost them, by credentials
    /// of code, of the file that configuration names (<see cref="CoapClientOptions.Edhoc"/>), or both. Until then nothing leaves to the
    /// server, as nothing leaves without protection.
    /// </summary>
    /// <param name="builder">The client.</param>
    /// <param name="configure">Sets options, after configuration; is given the services of the application. Credentials that it adds are
    /// its own to dispose. Null for none.</param>
    /// <returns>The builder.</returns>
    public static ICoapClientBuilder UseEdhoc(
        this ICoapClientBuilder builder, Action<EdhocClientOptions, IServiceProvider>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.Configure((options, services) =>
            options.EdhocSteps.Add(edhoc => configure?.Invoke(edhoc, services)));
    }
}
