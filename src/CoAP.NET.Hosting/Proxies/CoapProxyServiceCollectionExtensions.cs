using CoAP.NET.Hosting;
using CoAP.NET.Proxy;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Options;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Adds proxies to hosted servers.</summary>
public static class CoapProxyServiceCollectionExtensions
{
    /// <summary>
    /// Adds a proxy to the server of an application, with the configuration section <c>Coap:Proxy</c>, and the server itself if necessary.
    /// </summary>
    /// <param name="services">The services.</param>
    /// <param name="configure">Sets options, after configuration; null for none.</param>
    /// <returns>The builder of the server, which maps routes.</returns>
    /// <remarks>
    /// A second call returns the same builder, and both functions run. You can inject the <see cref="CoapProxy"/> itself.
    /// </remarks>
    public static ICoapServerBuilder AddCoapProxy(this IServiceCollection services, Action<CoapHostedProxyOptions>? configure = null) =>
        services.AddCoapServer().AddCoapProxy(configure);

    /// <summary>
    /// Adds a proxy to a server, with the configuration section <c>Coap:Proxy</c>, or <c>Coap:Proxies:NAME</c> for a server with a name.
    /// </summary>
    /// <param name="builder">The server.</param>
    /// <param name="configure">Sets options, after configuration; null for none.</param>
    /// <param name="section">The section, instead of the default one for the name; null for the default.</param>
    /// <returns>The builder.</returns>
    /// <remarks>For a server with a name, inject it with <c>[FromKeyedServices("NAME")] CoapProxy</c>.</remarks>
    public static ICoapServerBuilder AddCoapProxy(
        this ICoapServerBuilder builder, Action<CoapHostedProxyOptions>? configure = null, IConfiguration? section = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        IServiceCollection services = builder.Services;
        ProxyRegistration? registration = services
            .Select(static service => service.IsKeyedService ? null : service.ImplementationInstance as ProxyRegistration)
            .FirstOrDefault(found => found?.Name == builder.Name);
        if (registration is null)
        {
            registration = new ProxyRegistration(builder.Name);
            Register(services, registration);
        }

        registration.Section = section ?? registration.Section;
        if (configure is not null)
        {
            services.Configure(builder.Name, configure);
        }

        return builder;
    }

    private static void Register(IServiceCollection services, ProxyRegistration registration)
    {
        services.AddOptions<CoapHostedProxyOptions>(registration.Name).ValidateOnStart();
        services.AddSingleton<IConfigureOptions<CoapHostedProxyOptions>>(
            provider => new ConfigureProxy(registration, provider.GetService<IConfiguration>()));
        services.AddSingleton<IValidateOptions<CoapHostedProxyOptions>>(new ProxyOptionsValidator(registration));
        services.AddSingleton(registration);
        services.AddKeyedSingleton(registration.Name, (provider, _) => ProxyFactory.Make(provider, registration));
        if (registration.Name.Length == 0)
        {
            services.AddSingleton(static provider => provider.GetRequiredKeyedService<CoapProxy>(""));
        }
    }
}
