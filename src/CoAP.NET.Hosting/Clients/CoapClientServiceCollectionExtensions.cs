using System.Diagnostics.CodeAnalysis;
using CoAP.NET;
using CoAP.NET.Hosting;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Adds CoAP clients to the services of an application.</summary>
/// <remarks>The container creates a client on first use, shares it, and closes it with the host.</remarks>
public static class CoapClientServiceCollectionExtensions
{
    /// <summary>Adds the single client of an application, with the configuration section <c>Coap:Client</c>.</summary>
    /// <param name="services">The services.</param>
    /// <param name="configure">Sets options, after configuration; null for none.</param>
    /// <returns>The builder of the client.</returns>
    /// <remarks>
    /// Inject <see cref="ICoapClient"/>. You can also inject a <see cref="CoapClient"/> on the same endpoint, with the same base address,
    /// timeout and proxy, but without handlers.
    /// </remarks>
    public static ICoapClientBuilder AddCoapClient(this IServiceCollection services, Action<CoapClientOptions>? configure = null) =>
        Add(services, "", null, configure);

    /// <summary>Adds a client with a name, with the configuration section <c>Coap:Clients:NAME</c>.</summary>
    /// <param name="services">The services.</param>
    /// <param name="name">The name; not empty.</param>
    /// <param name="configure">Sets options, after configuration; null for none.</param>
    /// <returns>The builder of the client.</returns>
    /// <remarks>Inject it by its name, <c>[FromKeyedServices("NAME")] ICoapClient</c>, or use <see cref="ICoapClientFactory"/>.</remarks>
    public static ICoapClientBuilder AddCoapClient(this IServiceCollection services, string name,
        Action<CoapClientOptions>? configure = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        return Add(services, name, null, configure);
    }

    /// <summary>Adds the single client of an application, with a configuration section.</summary>
    /// <param name="services">The services.</param>
    /// <param name="section">The section, instead of <c>Coap:Client</c>.</param>
    /// <param name="configure">Sets options, after configuration; null for none.</param>
    /// <returns>The builder of the client.</returns>
    public static ICoapClientBuilder AddCoapClient(this IServiceCollection services, IConfiguration section,
        Action<CoapClientOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(section);
        return Add(services, "", section, configure);
    }

    /// <summary>Adds a client with a name, with a configuration section.</summary>
    /// <param name="services">The services.</param>
    /// <param name="name">The name; not empty.</param>
    /// <param name="section">The section.</param>
    /// <param name="configure">Sets options, after configuration; null for none.</param>
    /// <returns>The builder of the client.</returns>
    public static ICoapClientBuilder AddCoapClient(this IServiceCollection services, string name, IConfiguration section,
        Action<CoapClientOptions>? configure = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        ArgumentNullException.ThrowIfNull(section);
        return Add(services, name, section, configure);
    }

    /// <summary>Adds a typed client: a class of yours that gets an <see cref="ICoapClient"/> of its own and any services.</summary>
    /// <typeparam name="TClient">
    /// The class. Its constructor has an <see cref="ICoapClient"/> parameter. Each injection creates a new instance; they share the client.
    /// </typeparam>
    /// <param name="services">The services.</param>
    /// <param name="configure">Sets options, after configuration; null for none.</param>
    /// <returns>The builder of the client.</returns>
    /// <remarks>The client has the name of the class.</remarks>
    public static ICoapClientBuilder AddCoapClient<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TClient>(
        this IServiceCollection services, Action<CoapClientOptions>? configure = null)
        where TClient : class =>
        AddCoapClient<TClient, TClient>(services, typeof(TClient).Name, configure);

    /// <summary>Adds a typed client with a name.</summary>
    /// <typeparam name="TClient">The class. Its constructor has an <see cref="ICoapClient"/> parameter.</typeparam>
    /// <param name="services">The services.</param>
    /// <param name="name">The name, for the section <c>Coap:Clients:NAME</c>.</param>
    /// <param name="configure">Sets options, after configuration; null for none.</param>
    /// <returns>The builder of the client.</returns>
    public static ICoapClientBuilder AddCoapClient<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TClient>(
        this IServiceCollection services, string name, Action<CoapClientOptions>? configure = null)
        where TClient : class =>
        AddCoapClient<TClient, TClient>(services, name, configure);

    /// <summary>Adds a typed client with an interface.</summary>
    /// <typeparam name="TClient">The injected type.</typeparam>
    /// <typeparam name="TImplementation">The class. Its constructor has an <see cref="ICoapClient"/> parameter.</typeparam>
    /// <param name="services">The services.</param>
    /// <param name="configure">Sets options, after configuration; null for none.</param>
    /// <returns>The builder of the client, which has the name of <typeparamref name="TClient"/>.</returns>
    public static ICoapClientBuilder AddCoapClient<TClient,
        [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TImplementation>(
            this IServiceCollection services, Action<CoapClientOptions>? configure = null)
        where TClient : class
        where TImplementation : class, TClient =>
        AddCoapClient<TClient, TImplementation>(services, typeof(TClient).Name, configure);

    /// <summary>Adds a typed client with an interface and a name.</summary>
    /// <typeparam name="TClient">The injected type.</typeparam>
    /// <typeparam name="TImplementation">The class. Its constructor has an <see cref="ICoapClient"/> parameter.</typeparam>
    /// <param name="services">The services.</param>
    /// <param name="name">The name, for the section <c>Coap:Clients:NAME</c>.</param>
    /// <param name="configure">Sets options, after configuration; null for none.</param>
    /// <returns>The builder of the client.</returns>
    public static ICoapClientBuilder AddCoapClient<TClient,
        [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TImplementation>(
            this IServiceCollection services, string name, Action<CoapClientOptions>? configure = null)
        where TClient : class
        where TImplementation : class, TClient
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        ICoapClientBuilder builder = Add(services, name, null, configure);
        services.AddTransient<TClient>(
            provider => TypedClient<TImplementation>.Make(provider, provider.GetRequiredService<ICoapClientFactory>().GetClient(name)));
        return builder;
    }

    private static ClientBuilder Add(IServiceCollection services, string name, IConfiguration? section,
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
        ICoapClient client = provider.GetRequiredKeyedService<ICoapClient>(name);
        CoapClientOptions options = provider.OptionsOf<CoapClientOptions>(name);
        return new CoapClient(client.Endpoint)
        {
            BaseAddress = client.BaseAddress,
            Timeout = options.Timeout,
            Proxy = options.Proxy is { } proxy ? CoapUri.Parse(proxy) : null,
        };
    }

    private static void Register(IServiceCollection services, ClientRegistration registration)
    {
        string name = registration.Name;
        services.AddOptions<CoapClientOptions>(name).ValidateOnStart();
        services.AddSingleton(registration);
        services.AddSingleton<HostedRegistration>(registration);
        services.AddOptionsOf<CoapClientOptions>(registration, (section, options, provider) => ClientKeys.Table.Read(
            section, options, options.Findings,
            MissingPart.Find(PartsOf(provider), registration, section, options.Findings)));
        services.AddSingleton<IValidateOptions<CoapClientOptions>>(
            provider => new ClientOptionsValidator(registration, provider.GetServices<ServerRegistration>(), PartsOf(provider)));
        services.TryAddEnumerable(ServiceDescriptor.Singleton<IHostedService, SectionCheck>());
        services.TryAddSingleton<ICoapClientFactory, ClientFactory>();
        services.AddKeyedSingleton(name,
            static (provider, key) => provider.GetRequiredService<ICoapClientFactory>().GetClient((string)key!));
        services.AddKeyedSingleton(name, static (provider, key) => MakePlain(provider, (string)key!));
        if (name.Length == 0)
        {
            services.AddSingleton(static provider => provider.GetRequiredKeyedService<ICoapClient>(""));
            services.AddSingleton(static provider => provider.GetRequiredKeyedService<CoapClient>(""));
        }

        ClientPart[] PartsOf(IServiceProvider provider) => [.. provider.GetKeyedServices<ClientPart>(name)];
    }
}
