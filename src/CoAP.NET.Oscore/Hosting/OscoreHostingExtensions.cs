using CoAP.NET;
using CoAP.NET.Hosting;
using CoAP.NET.Hosting.Parts;
using CoAP.NET.Oscore;
using CoAP.NET.Oscore.Hosting;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Adds OSCORE (RFC 8613) to hosted servers and clients.</summary>
public static class OscoreHostingExtensions
{
    /// <summary>
    /// Lets a server accept protected requests, with contexts from the files of its configuration (section <c>Oscore</c>), from a resolver,
    /// or from the <see cref="OscoreContexts"/> of the server.
    /// </summary>
    /// <param name="builder">The server.</param>
    /// <param name="resolver">
    /// Returns an object that finds the contexts of many devices, for example in a database; it gets the services of the application, and
    /// runs once, when the server is created. Null for none.
    /// </param>
    /// <returns>The builder.</returns>
    /// <remarks>
    /// You can inject the <see cref="OscoreContexts"/>; for a server with a name with <c>[FromKeyedServices("NAME")]</c>. For settings that
    /// neither can express, call <see cref="CoapOscoreExtensions"/>.<c>UseOscore</c> on the options of the endpoint instead; not both.
    /// </remarks>
    public static ICoapServerBuilder UseOscore(
        this ICoapServerBuilder builder, Func<IServiceProvider, IOscoreContextResolver>? resolver = null) =>
        builder.UseOscoreFiles(resolver is null ? null : options => options.Resolver = resolver);

    /// <summary>
    /// Lets a client protect its requests to one server, with the context of the file of its configuration (section <c>Oscore</c>).
    /// </summary>
    /// <param name="builder">The client.</param>
    /// <returns>The builder.</returns>
    /// <remarks>
    /// For several servers, call <see cref="CoapOscoreExtensions"/>.<c>UseOscore</c> on the options of the endpoint instead; not both.
    /// </remarks>
    public static ICoapClientBuilder UseOscore(this ICoapClientBuilder builder) =>
        builder.AddPart(static (services, client) => new OscoreClientConfigurator(services, client), OscoreConfigurationKeys.ClientTable,
            static options => options.Findings, null);

    internal static ICoapServerBuilder UseOscoreFiles(this ICoapServerBuilder builder, Action<CoapOscoreServerFileOptions>? configure)
    {
        builder.AddPart(static (services, server) => new OscoreServerConfigurator(services, server), OscoreConfigurationKeys.ServerTable,
            static options => options.Findings, configure);
        IServiceCollection services = builder.Services;
        if (!services.Any(service => service.ServiceType == typeof(HostedOscore) && builder.Name.Equals(service.ServiceKey)))
        {
            services.AddKeyedSingleton(builder.Name, static (provider, name) => HostedOscore.Make(provider, (string)name!));
            services.AddKeyedSingleton(
                builder.Name, static (provider, name) => provider.GetRequiredKeyedService<HostedOscore>(name).Contexts);
            if (builder.Name.Length == 0)
            {
                services.AddSingleton(static provider => provider.GetRequiredKeyedService<OscoreContexts>(""));
            }
        }

        return builder;
    }
}
