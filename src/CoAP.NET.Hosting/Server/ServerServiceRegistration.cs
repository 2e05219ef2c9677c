using CoAP.NET.Hosting.Configuration;
using CoAP.NET.Hosting.Parts;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;

namespace CoAP.NET.Hosting.Server;

/// <summary>Adds hosted servers to the services of an application.</summary>
internal static class ServerServiceRegistration
{
    public static ServerBuilder Add(IServiceCollection services, string name, IConfiguration? section,
        Action<CoapServerOptions>? configure)
    {
        ArgumentNullException.ThrowIfNull(services);
        if (HostedRegistration.Find<ServerRegistration>(services, name) is not { } registration)
        {
            registration = new ServerRegistration(name);
            Register(services.AddCoapJson(), registration);
        }

        registration.Section = section ?? registration.Section;
        if (configure is not null)
        {
            services.Configure(name, configure);
        }

        return new ServerBuilder(registration, services);
    }

    private static void Register(IServiceCollection services, ServerRegistration registration)
    {
        services.AddOptions<CoapServerOptions>(registration.Name).ValidateOnStart();
        services.AddOptionsOf<CoapServerOptions>(registration, (section, options, provider) => ServerConfigurationKeys.Table.Read(
            section, options, options.Findings,
            SectionOfMissingPackage.Find(PartsOf(provider, registration), registration, section, options.Findings)));
        services.AddSingleton<IValidateOptions<CoapServerOptions>>(
            provider => new ServerOptionsValidator(registration, PartsOf(provider, registration)));
        services.AddSingleton(registration);
        services.AddSingleton<HostedRegistration>(registration);
        services.AddKeyedSingleton<IServerSettings>(
            registration.Name, static (provider, name) => provider.OptionsOf<CoapServerOptions>((string)name!));
        services.AddKeyedSingleton(
            registration.Name, (provider, _) => ServerFactory.Make(provider, registration, PartsOf(provider, registration)));
        if (registration.Name.Length == 0)
        {
            services.AddSingleton(static provider => provider.GetRequiredKeyedService<CoapServer>(""));
        }

        services.TryAddEnumerable(ServiceDescriptor.Singleton<IHostedService, UnusedSectionCheck>());
        services.AddSingleton<IHostedService>(
            provider => new ServerHostedService(provider, registration, PartsOf(provider, registration)));
    }

    private static HostedServerExtension[] PartsOf(IServiceProvider provider, ServerRegistration registration) =>
        [.. provider.GetKeyedServices<HostedServerExtension>(registration.Name)];
}
