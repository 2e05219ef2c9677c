using CoAP.NET.Hosting;
using CoAP.NET.Oscore;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Adds OSCORE (RFC 8613) to hosted servers and clients.</summary>
public static class OscoreHostingExtensions
{
    /// <summary>
    /// Lets a server accept protected requests, with contexts from files, from a resolver
    /// (<see cref="CoapOscoreServerFileOptions.Resolver"/>) or from the <see cref="OscoreContexts"/> of the server.
    /// </summary>
    /// <param name="builder">The server.</param>
    /// <param name="configure">Sets options, after the section <c>Oscore</c> of the server's configuration; null for none.</param>
    /// <returns>The builder.</returns>
    /// <remarks>
    /// You can inject the <see cref="OscoreContexts"/>; for a server with a name with <c>[FromKeyedServices("NAME")]</c>. For settings that
    /// neither can express, call <see cref="OscoreEndpointExtensions.UseOscore"/> on the options of the endpoint instead; not both.
    /// </remarks>
    public static ICoapServerBuilder UseOscore(
        this ICoapServerBuilder builder, Action<CoapOscoreServerFileOptions>? configure = null)
    {
        builder.AddPart(static (services, server) => new OscoreServerPart(services, server), OscoreSectionKeys.ServerTable,
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

    /// <summary>Lets a client protect its requests to one server, with a context from a file.</summary>
    /// <param name="builder">The client.</param>
    /// <param name="configure">Sets options, after the section <c>Oscore</c> of the client's configuration; null for none.</param>
    /// <returns>The builder.</returns>
    /// <remarks>
    /// For several servers, call <see cref="OscoreEndpointExtensions.UseOscore"/> on the options of the endpoint instead; not both.
    /// </remarks>
    public static ICoapClientBuilder UseOscore(
        this ICoapClientBuilder builder, Action<CoapOscoreClientFileOptions>? configure = null) =>
        builder.AddPart(static (services, client) => new OscoreClientPart(services, client), OscoreSectionKeys.ClientTable,
            static options => options.Findings, configure);
}
