using CoAP.NET.Endpoints;
using CoAP.NET.Hosting.Configuration;
using CoAP.NET.Hosting.Parts;
using CoAP.NET.Hosting.Server;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;

namespace CoAP.NET.Hosting.Clients;

/// <summary>Adds hosted clients to the services of an application.</summary>
internal static class ClientServiceRegistrar
{
    public static ClientBuilder Add(IServiceCollection services, string name, IConfiguration? section,
        Action<CoapClientOptions>? configure)
    {
        ArgumentNullException.ThrowIfNull(services);
        if (HostedRegistration.Find<ClientRegistration>(services, name) is not { } registration)
        {
            registration = new ClientRegistration(name);
            Register(services, registration);
        }

        registration.Section = section ?? registration.Section;
        if (configure is not null)
        {
            services.Configure(name, configure);
        }

        return new ClientBuilder(name, services);
    }

    private static CoapClient MakePlain(IServiceProvider provider, string name)
    {
        IEndpointClient client = IEndpointClient.Of(provider.GetRequiredKeyedService<ICoapClient>(name));
        CoapClientOptions options = provider.OptionsOf<CoapClientOptions>(name);
        return new CoapClient(client.Endpoint)
        {
            BaseAddress = client.BaseAddress,
            Timeout = options.Timeout,
            Proxy = options.Proxy,
        };
    }

    private static void Register(IServiceCollection services, ClientRegistration registration)
    {
        string name = registration.Name;
        services.AddOptions<CoapClientOptions>(name).ValidateOnStart();
        services.AddSingleton(registration);
        services.AddSingleton<HostedRegistration>(registration);
        services.AddOptionsOf<CoapClientOptions>(registration, (section, options, provider) => ClientConfigurationKeys.Table.Read(
            section, options, options.Findings,
            SectionOfMissingPackage.Find(PartsOf(provider), registration, section, options.Findings)));
        services.AddSingleton<IValidateOptions<CoapClientOptions>>(
            provider => new ClientOptionsValidator(registration, provider.GetServices<ServerRegistration>(), PartsOf(provider)));
        services.TryAddEnumerable(ServiceDescriptor.Singleton<IHostedService, UnusedSectionCheck>());
        services.TryAddSingleton<ClientFactory>();
        services.AddKeyedSingleton(name,
            static (provider, key) => provider.GetRequiredService<ClientFactory>().GetClient((string)key!));
        services.AddKeyedSingleton(name, static (provider, key) => MakePlain(provider, (string)key!));
        if (name.Length == 0)
        {
            services.AddSingleton(static provider => provider.GetRequiredKeyedService<ICoapClient>(""));
            services.AddSingleton(static provider => provider.GetRequiredKeyedService<CoapClient>(""));
        }

        HostedClientExtension[] PartsOf(IServiceProvider provider) => [.. provider.GetKeyedServices<HostedClientExtension>(name)];
    }
}
