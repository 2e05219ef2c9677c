using CoAP.NET;
using CoAP.NET.Hosting;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Adds CoAP servers to the services of an application. They start and stop with the host.</summary>
public static class CoapServerServiceCollectionExtensions
{
    /// <summary>Adds the single server of an application, with the configuration section <c>Coap:Server</c>.</summary>
    /// <param name="services">The services.</param>
    /// <param name="configure">Sets options, after configuration; null for none.</param>
    /// <returns>The builder of the server, which maps routes.</returns>
    /// <remarks>
    /// A second call returns the same server, and both functions run. You can inject the <see cref="CoapServer"/> itself, for example to
    /// call <see cref="CoapServer.Notify"/>.
    /// </remarks>
    public static ICoapServerBuilder AddCoapServer(this IServiceCollection services, Action<CoapServerOptions>? configure = null) =>
        Add(services, "", null, configure);

    /// <summary>Adds a server with a name, with the configuration section <c>Coap:Servers:NAME</c>.</summary>
    /// <param name="services">The services.</param>
    /// <param name="name">The name; not empty.</param>
    /// <param name="configure">Sets options, after configuration; null for none.</param>
    /// <returns>The builder of the server, which maps routes.</returns>
    /// <remarks>Inject it by its name: <c>[FromKeyedServices("NAME")] CoapServer</c>.</remarks>
    public static ICoapServerBuilder AddCoapServer(this IServiceCollection services, string name,
        Action<CoapServerOptions>? configure = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        return Add(services, name, null, configure);
    }

    /// <summary>Adds the single server of an application, with a configuration section.</summary>
    /// <param name="services">The services.</param>
    /// <param name="section">The section, instead of <c>Coap:Server</c>.</param>
    /// <param name="configure">Sets options, after configuration; null for none.</param>
    /// <returns>The builder of the server, which maps routes.</returns>
    public static ICoapServerBuilder AddCoapServer(this IServiceCollection services, IConfiguration section,
        Action<CoapServerOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(section);
        return Add(services, "", section, configure);
    }

    /// <summary>Adds a server with a name, with a configuration section.</summary>
    /// <param name="services">The services.</param>
    /// <param name="name">The name; not empty.</param>
    /// <param name="section">The section, instead of <c>Coap:Servers:NAME</c>.</param>
    /// <param name="configure">Sets options, after configuration; null for none.</param>
    /// <returns>The builder of the server, which maps routes.</returns>
    public static ICoapServerBuilder AddCoapServer(this IServiceCollection services, string name, IConfiguration section,
        Action<CoapServerOptions>? configure = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        ArgumentNullException.ThrowIfNull(section);
        return Add(services, name, section, configure);
    }

    /// <summary>Sets options of a server with services of the application.</summary>
    /// <param name="builder">The server.</param>
    /// <param name="configure">Sets options with the services of the application.</param>
    /// <returns>The builder.</returns>
    public static ICoapServerBuilder Configure(this ICoapServerBuilder builder, Action<CoapServerOptions, IServiceProvider> configure)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(configure);
        builder.Services.AddOptions<CoapServerOptions>(builder.Name).Configure(configure);
        return builder;
    }

    /// <summary>
    /// Sets options of a server's endpoint after everything else: configuration and code, including keys and certificates from files.
    /// </summary>
    /// <param name="builder">The server.</param>
    /// <param name="configure">Sets options with the services of the application. Called once, when the server is created.</param>
    /// <returns>The builder.</returns>
    /// <remarks>It takes precedence over all of them, for example for additions to DTLS (<c>TryChangeDtls</c>).</remarks>
    public static ICoapServerBuilder ConfigureEndpoint(
        this ICoapServerBuilder builder, Action<CoapEndpointOptions, IServiceProvider> configure)
    {
        ArgumentNullException.ThrowIfNull(configure);
        return builder.Configure((options, services) => options.EndpointSteps.Add(endpoint => configure(endpoint, services)));
    }

    /// <summary>Adds a function that runs with the created server, before it starts.</summary>
    /// <param name="builder">The server.</param>
    /// <param name="configure">
    /// Gets the server and the services of the application. Called once. An exception prevents the start of the application.
    /// </param>
    /// <returns>The builder.</returns>
    public static ICoapServerBuilder ConfigureServer(this ICoapServerBuilder builder, Action<CoapServer, IServiceProvider> configure)
    {
        ArgumentNullException.ThrowIfNull(configure);
        return builder.Configure((options, services) => options.ServerSteps.Add(server => configure(server, services)));
    }

    private static ServerBuilder Add(IServiceCollection services, string name, IConfiguration? section,
        Action<CoapServerOptions>? configure)
    {
        ArgumentNullException.ThrowIfNull(services);
        if (HostedRegistration.Find<ServerRegistration>(services, name) is not { } registration)
        {
            registration = new ServerRegistration(name);
            Register(services, registration);
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
        services.AddOptionsOf<CoapServerOptions>(registration, (section, options, provider) => ServerKeys.Table.Read(
            section, options, options.Findings,
            MissingPart.Find(PartsOf(provider, registration), registration, section, options.Findings)));
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

        services.TryAddEnumerable(ServiceDescriptor.Singleton<IHostedService, SectionCheck>());
        services.AddSingleton<IHostedService>(
            provider => new ServerHostedService(provider, registration, PartsOf(provider, registration)));
    }

    private static ServerPart[] PartsOf(IServiceProvider provider, ServerRegistration registration) =>
        [.. provider.GetKeyedServices<ServerPart>(registration.Name)];
}
