using System.Diagnostics.CodeAnalysis;
using CoAP.NET;
using CoAP.NET.Hosting;
using CoAP.NET.Hosting.Clients;
using CoAP.NET.Hosting.RateLimiting;
using CoAP.NET.Hosting.Server;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Adds CoAP servers, clients, formats and rate limits to the services of an application, and configures them.</summary>
/// <remarks>
/// Servers start and stop with the host. The container creates a client on first use, shares it, and closes it with the host.
/// </remarks>
public static class CoapServiceCollectionExtensions
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
        ServerServiceRegistration.Add(services, "", null, configure);

    /// <summary>Adds a server with a name, with the configuration section <c>Coap:Servers:NAME</c>.</summary>
    /// <param name="services">The services.</param>
    /// <param name="name">The name; not empty.</param>
    /// <param name="configure">Sets options, after configuration; null for none.</param>
    /// <returns>The builder of the server, which maps routes.</returns>
    /// <remarks>Inject it by its name: <c>[FromKeyedServices("NAME")] CoapServer</c>.</remarks>
    /// <exception cref="ArgumentException"><paramref name="name"/> is empty.</exception>
    public static ICoapServerBuilder AddCoapServer(this IServiceCollection services, string name,
        Action<CoapServerOptions>? configure = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        return ServerServiceRegistration.Add(services, name, null, configure);
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
        return ServerServiceRegistration.Add(services, "", section, configure);
    }

    /// <summary>Adds a server with a name, with a configuration section.</summary>
    /// <param name="services">The services.</param>
    /// <param name="name">The name; not empty.</param>
    /// <param name="section">The section, instead of <c>Coap:Servers:NAME</c>.</param>
    /// <param name="configure">Sets options, after configuration; null for none.</param>
    /// <returns>The builder of the server, which maps routes.</returns>
    /// <exception cref="ArgumentException"><paramref name="name"/> is empty.</exception>
    public static ICoapServerBuilder AddCoapServer(this IServiceCollection services, string name, IConfiguration section,
        Action<CoapServerOptions>? configure = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        ArgumentNullException.ThrowIfNull(section);
        return ServerServiceRegistration.Add(services, name, section, configure);
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
    /// <remarks>It takes precedence over all of them.</remarks>
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

    /// <summary>Adds the single client of an application, with the configuration section <c>Coap:Client</c>.</summary>
    /// <param name="services">The services.</param>
    /// <param name="configure">Sets options, after configuration; null for none.</param>
    /// <returns>The builder of the client.</returns>
    /// <remarks>
    /// Inject <see cref="ICoapClient"/>. For pings and requests to groups inject a <see cref="CoapClient"/>: it is on the same endpoint,
    /// with the same base address, timeout and proxy, but without handlers.
    /// </remarks>
    public static ICoapClientBuilder AddCoapClient(this IServiceCollection services, Action<CoapClientOptions>? configure = null) =>
        ClientServiceRegistrar.Add(services, "", null, configure);

    /// <summary>Adds a client with a name, with the configuration section <c>Coap:Clients:NAME</c>.</summary>
    /// <param name="services">The services.</param>
    /// <param name="name">The name; not empty.</param>
    /// <param name="configure">Sets options, after configuration; null for none.</param>
    /// <returns>The builder of the client.</returns>
    /// <remarks>Inject it by its name, <c>[FromKeyedServices("NAME")] ICoapClient</c>.</remarks>
    /// <exception cref="ArgumentException"><paramref name="name"/> is empty.</exception>
    public static ICoapClientBuilder AddCoapClient(this IServiceCollection services, string name,
        Action<CoapClientOptions>? configure = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        return ClientServiceRegistrar.Add(services, name, null, configure);
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
        return ClientServiceRegistrar.Add(services, "", section, configure);
    }

    /// <summary>Adds a client with a name, with a configuration section.</summary>
    /// <param name="services">The services.</param>
    /// <param name="name">The name; not empty.</param>
    /// <param name="section">The section.</param>
    /// <param name="configure">Sets options, after configuration; null for none.</param>
    /// <returns>The builder of the client.</returns>
    /// <exception cref="ArgumentException"><paramref name="name"/> is empty.</exception>
    public static ICoapClientBuilder AddCoapClient(this IServiceCollection services, string name, IConfiguration section,
        Action<CoapClientOptions>? configure = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        ArgumentNullException.ThrowIfNull(section);
        return ClientServiceRegistrar.Add(services, name, section, configure);
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
        ICoapClientBuilder builder = ClientServiceRegistrar.Add(services, name, null, configure);
        services.AddTransient<TClient>(
            provider => TypedClientFactory<TImplementation>.Make(
                provider, provider.GetRequiredService<ClientFactory>().GetClient(name)));
        return builder;
    }

    /// <summary>Sets options of a client with services of the application.</summary>
    /// <param name="builder">The client.</param>
    /// <param name="configure">Sets options with the services of the application.</param>
    /// <returns>The builder.</returns>
    public static ICoapClientBuilder Configure(this ICoapClientBuilder builder, Action<CoapClientOptions, IServiceProvider> configure)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(configure);
        builder.Services.AddOptions<CoapClientOptions>(builder.Name).Configure(configure);
        return builder;
    }

    /// <summary>
    /// Makes the client use the endpoint of a hosted server: its requests leave from the server's port, and use the connections that peers
    /// opened to it.
    /// </summary>
    /// <param name="builder">The client.</param>
    /// <param name="name">The name of the server; empty for the one without a name.</param>
    /// <returns>The builder.</returns>
    public static ICoapClientBuilder UseServer(this ICoapClientBuilder builder, string name = "")
    {
        ArgumentNullException.ThrowIfNull(name);
        return Configure(builder, (options, _) => options.Server = name);
    }

    /// <summary>Adds a handler between the client and its endpoint; the first one is the outermost.</summary>
    /// <typeparam name="THandler">The type of the handler; a service, or created with services.</typeparam>
    /// <param name="builder">The client.</param>
    /// <returns>The builder.</returns>
    /// <remarks>The client creates it once.</remarks>
    public static ICoapClientBuilder AddHandler<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] THandler>(
        this ICoapClientBuilder builder)
        where THandler : class, ICoapClientHandler
    {
        ArgumentNullException.ThrowIfNull(builder);
        builder.Services.TryAddTransient<THandler>();
        return Configure(builder, static (options, _) => options.Handlers.Add(static services => services.GetRequiredService<THandler>()));
    }

    /// <summary>Adds limits. You may call it several times.</summary>
    /// <param name="services">The services.</param>
    /// <param name="configure">Adds limits.</param>
    /// <returns>The services.</returns>
    public static IServiceCollection AddCoapRateLimits(this IServiceCollection services, Action<CoapRateLimitOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentNullException.ThrowIfNull(configure);
        services.Configure(configure);
        services.TryAddSingleton<RateLimiters>();
        return services;
    }

    /// <summary>Configures JSON and CBOR for the handlers of CoAP servers.</summary>
    /// <param name="services">The services.</param>
    /// <param name="configure">Changes the options.</param>
    /// <returns>The services.</returns>
    public static IServiceCollection ConfigureCoapJson(this IServiceCollection services, Action<CoapJsonOptions> configure) =>
        services.AddCoapJson().Configure(configure);

    /// <summary>Adds a format in which handlers of CoAP servers take bodies and return results, besides JSON and CBOR.</summary>
    /// <param name="services">The services.</param>
    /// <param name="formatter">Reads and writes the format.</param>
    /// <returns>The services.</returns>
    public static IServiceCollection AddCoapFormatter(this IServiceCollection services, ICoapFormatter formatter)
    {
        ArgumentNullException.ThrowIfNull(formatter);
        return services.AddCoapJson().Configure<CoapJsonOptions>(options => options.Formatters.Add(formatter));
    }

    /// <summary>
    /// Adds a format in which handlers of CoAP servers take bodies and return results, besides JSON and CBOR; the container creates the
    /// formatter once.
    /// </summary>
    /// <typeparam name="TFormatter">Reads and writes the format.</typeparam>
    /// <param name="services">The services.</param>
    /// <returns>The services.</returns>
    public static IServiceCollection AddCoapFormatter<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)]
    TFormatter>(this IServiceCollection services)
        where TFormatter : class, ICoapFormatter
    {
        services.AddCoapJson().TryAddSingleton<TFormatter>();
        services.AddOptions<CoapJsonOptions>().Configure<TFormatter>(static (options, formatter) => options.Formatters.Add(formatter));
        return services;
    }

    /// <summary>Registers the configured options as such: the core, where handlers look for them, does not know options of hosts.</summary>
    internal static IServiceCollection AddCoapJson(this IServiceCollection services)
    {
        services.TryAddSingleton(static provider => provider.GetRequiredService<IOptions<CoapJsonOptions>>().Value);
        return services;
    }
}
