using CoAP.NET.Edhoc;
using CoAP.NET.Hosting;
using CoAP.NET.Oscore;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Adds EDHOC (RFC 9528), which creates the keys of OSCORE, to hosted servers and clients.</summary>
public static class EdhocHostingExtensions
{
    /// <summary>Lets a server agree on keys with clients, with credentials from a file, from code, or both.</summary>
    /// <param name="builder">The server.</param>
    /// <param name="configure">Sets options, after the section <c>Edhoc</c> of the server's configuration; null for none.</param>
    /// <returns>The builder.</returns>
    /// <remarks>
    /// The server serves EDHOC at <see cref="CoapEdhocServerFileOptions.Path"/> over all transports and to all clients, because EDHOC
    /// protects itself. It adds the security contexts of sessions to its <see cref="OscoreContexts"/>, and accepts requests that they
    /// protect, as with <see cref="OscoreHostingExtensions.UseOscore(ICoapServerBuilder, Action{CoapOscoreServerFileOptions}?)"/>. You can
    /// inject the <see cref="EdhocServer"/>, for its counters; for a server with a name with <c>[FromKeyedServices("NAME")]</c>.
    /// </remarks>
    public static ICoapServerBuilder UseEdhoc(this ICoapServerBuilder builder, Action<CoapEdhocServerFileOptions>? configure = null)
    {
        builder.UseOscore().AddPart(static (services, server) => new EdhocServerPart(services, server), EdhocKeys.ServerTable,
            static options => options.Findings, configure);
        IServiceCollection services = builder.Services;
        if (!services.Any(service => service.ServiceType == typeof(EdhocServer) && builder.Name.Equals(service.ServiceKey)))
        {
            services.AddKeyedSingleton(builder.Name, static (provider, name) =>
                new EdhocServerPart.Credentials(provider.OptionsOf<CoapEdhocServerFileOptions>((string)name!).File));
            services.AddKeyedSingleton(
                builder.Name, static (provider, name) => provider.GetRequiredKeyedService<EdhocServerPart>(name).Make());
            if (builder.Name.Length == 0)
            {
                services.AddSingleton(static provider => provider.GetRequiredKeyedService<EdhocServer>(""));
            }
        }

        return builder;
    }

    /// <summary>Lets a client agree on keys with its server, with credentials from a file, from code, or both.</summary>
    /// <param name="builder">The client.</param>
    /// <param name="configure">Sets options, after the section <c>Edhoc</c> of the client's configuration; null for none.</param>
    /// <returns>The builder.</returns>
    /// <remarks>
    /// It does so when it sends the first request, and again when the server has lost the keys. Until then no request leaves to the server,
    /// because none leaves unprotected.
    /// </remarks>
    public static ICoapClientBuilder UseEdhoc(
        this ICoapClientBuilder builder, Action<CoapEdhocClientFileOptions>? configure = null) =>
        builder.UseOscore().AddPart(static (services, client) => new EdhocClientPart(services, client), EdhocKeys.ClientTable,
            static options => options.Findings, configure);
}
