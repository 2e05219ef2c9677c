using CoAP.NET.Edhoc;
using CoAP.NET.Oscore;
using Microsoft.Extensions.DependencyInjection;

namespace CoAP.NET.Hosting;

/// <summary>Adds EDHOC (RFC 9528), which creates the keys of OSCORE, to hosted servers and clients.</summary>
public static class EdhocHostingExtensions
{
    /// <summary>
    /// Lets a server agree on keys with clients, with credentials from code, from the configured file
    /// (<see cref="CoapServerOptions.Edhoc"/>), or both.
    /// </summary>
    /// <param name="builder">The server.</param>
    /// <param name="configure">
    /// Sets options, after configuration, with the services of the application. It has to dispose credentials that it adds. Null for none.
    /// </param>
    /// <returns>The builder.</returns>
    /// <remarks>
    /// The server serves EDHOC at <see cref="CoapEdhocServerFileOptions.Path"/> over all transports and to all clients, because EDHOC
    /// protects itself. It adds the security contexts of sessions to its <see cref="OscoreContexts"/>. You can inject the
    /// <see cref="EdhocServer"/>, for its counters; for a server with a name with <c>[FromKeyedServices("NAME")]</c>.
    /// </remarks>
    public static ICoapServerBuilder UseEdhoc(
        this ICoapServerBuilder builder, Action<EdhocServerOptions, IServiceProvider>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.Configure((options, services) =>
            options.EdhocSteps.Add(edhoc => configure?.Invoke(edhoc, services)));
    }

    /// <summary>
    /// Lets a client agree on keys with its server, with credentials from code, from the configured file
    /// (<see cref="CoapClientOptions.Edhoc"/>), or both.
    /// </summary>
    /// <param name="builder">The client.</param>
    /// <param name="configure">
    /// Sets options, after configuration, with the services of the application. It has to dispose credentials that it adds. Null for none.
    /// </param>
    /// <returns>The builder.</returns>
    /// <remarks>
    /// It does so when it sends the first request, and again when the server has lost the keys. Until then no request leaves to the server,
    /// because none leaves unprotected.
    /// </remarks>
    public static ICoapClientBuilder UseEdhoc(
        this ICoapClientBuilder builder, Action<EdhocClientOptions, IServiceProvider>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.Configure((options, services) =>
            options.EdhocSteps.Add(edhoc => configure?.Invoke(edhoc, services)));
    }
}
