using CoAP.NET.Edhoc;
using CoAP.NET.Edhoc.Hosting;
using CoAP.NET.Hosting;
using CoAP.NET.Hosting.Parts;
using CoAP.NET.Oscore;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Adds EDHOC (RFC 9528), which creates the keys of OSCORE, to hosted servers and clients.</summary>
public static class EdhocHostingExtensions
{
    /// <summary>
    /// Lets a server agree on keys with clients, with credentials from the file of its configuration (section <c>Edhoc</c>), from code, or
    /// both.
    /// </summary>
    /// <param name="builder">The server.</param>
    /// <param name="configure">Sets options after the configuration, with the services of the application; null for none.</param>
    /// <returns>The builder.</returns>
    /// <remarks>
    /// The server serves EDHOC at <c>/.well-known/edhoc</c>, or another path of the configuration, over all transports and to all clients,
    /// because EDHOC protects itself. It adds the security contexts of sessions to its <see cref="OscoreContexts"/>, and accepts requests
    /// that they protect, as with <c>UseOscore</c>.
    /// </remarks>
    public static ICoapServerBuilder UseEdhoc(
        this ICoapServerBuilder builder, Action<EdhocServerOptions, IServiceProvider>? configure = null)
    {
        builder.UseOscore().AddPart(
            static (services, server) => new EdhocServerConfigurator(services, server), EdhocConfigurationKeys.ServerTable,
            static options => options.Findings, configure is null ? null : options => options.Configure = configure);
        IServiceCollection services = builder.Services;
        if (!services.Any(service => service.ServiceType == typeof(EdhocServer) && builder.Name.Equals(service.ServiceKey)))
        {
            services.AddKeyedSingleton(builder.Name, static (provider, name) =>
                new EdhocServerConfigurator.Credentials(provider.OptionsOf<CoapEdhocServerFileOptions>((string)name!).File));
            services.AddKeyedSingleton(
                builder.Name, static (provider, name) => provider.GetRequiredKeyedService<EdhocServerConfigurator>(name).Make());
            if (builder.Name.Length == 0)
            {
                services.AddSingleton(static provider => provider.GetRequiredKeyedService<EdhocServer>(""));
            }
        }

        return builder;
    }

    /// <summary>
    /// Lets a client agree on keys with its server, with credentials from the file of its configuration (section <c>Edhoc</c>), from code,
    /// or both.
    /// </summary>
    /// <param name="builder">The client.</param>
    /// <param name="configure">Sets options after the configuration, with the services of the application; null for none.</param>
    /// <returns>The builder.</returns>
    /// <remarks>
    /// It does so when it sends the first request, and again when the server has lost the keys. Until then no request leaves to the server,
    /// because none leaves unprotected.
    /// </remarks>
    public static ICoapClientBuilder UseEdhoc(
        this ICoapClientBuilder builder, Action<EdhocClientOptions, IServiceProvider>? configure = null) =>
        builder.UseOscore().AddPart(
            static (services, client) => new EdhocClientConfigurator(services, client), EdhocConfigurationKeys.ClientTable,
            static options => options.Findings, configure is null ? null : options => options.Configure = configure);
}
