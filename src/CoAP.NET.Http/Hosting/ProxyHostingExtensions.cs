using CoAP.NET.Hosting;
using CoAP.NET.Hosting.Parts;
using CoAP.NET.Http.Hosting;
using CoAP.NET.Proxy;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Options;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Adds proxies to hosted servers.</summary>
public static class ProxyHostingExtensions
{
    /// <summary>
    /// Adds a proxy to a server, with the configuration section <c>Coap:Proxy</c>, or <c>Coap:Proxies:NAME</c> for a server with a name.
    /// </summary>
    /// <param name="builder">The server.</param>
    /// <param name="configure">Sets options, after configuration; null for none.</param>
    /// <param name="section">The section, instead of the default one for the name; null for the default.</param>
    /// <returns>The builder.</returns>
    /// <remarks>
    /// A second call changes the same proxy, and both functions run. You can inject the <see cref="CoapProxy"/> itself; for a server with a
    /// name with <c>[FromKeyedServices("NAME")]</c>.
    /// </remarks>
    public static ICoapServerBuilder AddCoapProxy(
        this ICoapServerBuilder builder, Action<CoapHostedProxyOptions>? configure = null, IConfiguration? section = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        IServiceCollection services = builder.Services;
        if (HostedRegistration.Find<ProxyRegistration>(services, builder.Name) is not { } registration)
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
        services.AddOptionsOf<CoapHostedProxyOptions>(registration, static (section, options, _) =>
            ProxyConfigurationKeys.Table.Read(section, options, options.Findings));
        services.AddSingleton<IValidateOptions<CoapHostedProxyOptions>>(new ProxyOptionsValidator(registration));
        services.AddSingleton(registration);
        services.AddSingleton<HostedRegistration>(registration);
        services.TryAddPart<HostedServerExtension,
            ProxyServerConfigurator>(registration.Name, provider => new ProxyServerConfigurator(provider, registration));
        services.AddKeyedSingleton(
            registration.Name, static (provider, name) => provider.GetRequiredKeyedService<ProxyServerConfigurator>(name).Make());
        if (registration.Name.Length == 0)
        {
            services.AddSingleton(static provider => provider.GetRequiredKeyedService<CoapProxy>(""));
        }
    }
}
