using CoAP.NET;
using CoAP.NET.Cluster;
using CoAP.NET.Hosting;
using CoAP.NET.Oscore;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Adds state that outlives the process to an application.</summary>
public static class CoapClusterServiceCollectionExtensions
{
    /// <summary>
    /// Has the application take part in a cluster, be it as the only node, with what the section <c>Coap:Cluster</c> of its configuration
    /// says: <see cref="CoapCluster"/>, <see cref="ICoapDevices"/> and, for sequence numbers of OSCORE, <see cref="IOscoreStore"/> can be
    /// injected. The node joins before servers start, and ends after they have stopped. Say where the state is kept: <c>UseSqlite</c>,
    /// <c>UsePostgreSql</c>, <see cref="UseMemory"/> or <see cref="UseStore"/>.
    /// </summary>
    /// <param name="services">The services.</param>
    /// <param name="configure">Sets options, after configuration; null for none. <see cref="CoapClusterOptions.Secret"/> is required, be it
    /// set here or by the key <c>SecretFile</c>. All is checked when the application starts.</param>
    /// <returns>What is told where the state is kept.</returns>
    public static ICoapClusterBuilder AddCoapCluster(this IServiceCollection services, Action<CoapClusterOptions>? configure = null) =>
        Add(services, null, configure);

    /// <summary>Has the application take part in a cluster, with what a section of configuration says.</summary>
    /// <param name="services">The services.</param>
    /// <param name="section">The section, instead of <c>Coap:Cluster</c>.</param>
    /// <param name="configure">Sets options, after configuration; null for none.</param>
    /// <returns>What is told where the state is kept.</returns>
    public static ICoapClusterBuilder AddCoapCluster(
        this IServiceCollection services, IConfiguration section, Action<CoapClusterOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(section);
        return Add(services, section, configure);
    }

    /// <summary>
    /// Says which peers are devices, so that they can be asked by name from any node: <see cref="ICoapDevices"/> can be injected.
    /// </summary>
    /// <param name="builder">The cluster.</param>
    /// <param name="nameOf">Says which device a peer is, null for none: see <see cref="CoapDeviceOptions.NameOf"/>.</param>
    /// <param name="configure">Sets when devices count as asleep; null for the defaults.</param>
    /// <returns>The builder.</returns>
    public static ICoapClusterBuilder DevicesAre(
        this ICoapClusterBuilder builder, Func<CoapPeer, string?> nameOf, Action<CoapDeviceOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(nameOf);
        builder.Services.Configure<CoapClusterOptions>(options =>
        {
            options.Devices.NameOf = nameOf;
            configure?.Invoke(options.Devices);
        });
        return builder;
    }

    /// <summary>Keeps the state in a store of one's own.</summary>
    /// <param name="builder">The cluster.</param>
    /// <param name="make">Makes the store, once; it ends with the application.</param>
    /// <returns>The builder.</returns>
    /// <exception cref="InvalidOperationException">Another store was named before.</exception>
    public static ICoapClusterBuilder UseStore(this ICoapClusterBuilder builder, Func<IServiceProvider, ICoapClusterStore> make)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(make);
        if (builder.Services.Any(static service => service.ServiceType == typeof(ClusterStoreFactory)))
        {
            throw new InvalidOperationException(
                "The cluster of this application has a store already. Call one of UseSqlite, UsePostgreSql, UseMemory and UseStore, once.");
        }

        builder.Services.AddSingleton(new ClusterStoreFactory(make));
        return builder;
    }

    /// <summary>Keeps the state in memory, which ends with the process: for tests and development.</summary>
    /// <param name="builder">The cluster.</param>
    /// <param name="memory">What several applications of one process share; null for a memory of its own.</param>
    /// <returns>The builder.</returns>
    public static ICoapClusterBuilder UseMemory(this ICoapClusterBuilder builder, CoapMemoryCluster? memory = null) =>
        builder.UseStore(provider => (memory ?? new CoapMemoryCluster(provider.GetService<TimeProvider>())).Open());

    /// <summary>
    /// Has a server take part in the cluster of the application
    /// (<see cref="AddCoapCluster(IServiceCollection, Action{CoapClusterOptions}?)"/>): its observers outlive the
    /// process, and so do its DTLS sessions, be DTLS set up by configuration or by code. The name of the server tells it from others of the
    /// application. A server with OSCORE contexts of files does not start where nodes share their devices, as each would number messages by
    /// itself.
    /// </summary>
    /// <param name="builder">The server.</param>
    /// <returns>The builder.</returns>
    public static ICoapServerBuilder UseCluster(this ICoapServerBuilder builder)
    {
        ArgumentNullException.ThrowIfNull(builder);
        string name = builder.Name;
        return builder
            .ConfigureEndpoint((options, services) => options.UseCluster(ClusterOf(services), name))
            .ConfigureServer((server, services) =>
            {
                CoapCluster cluster = ClusterOf(services);
                CheckOscore(cluster, services.GetRequiredService<IOptionsMonitor<CoapServerOptions>>().Get(name));
                cluster.Attach(server);
            });
    }

    /// <summary>
    /// Checks whether the store of the cluster takes leases and records. While it is away the server goes on, so that is Degraded by
    /// default. Where there is no link with another node it is Degraded too, whatever <paramref name="failureStatus"/> is.
    /// </summary>
    /// <param name="builder">The health checks.</param>
    /// <param name="name">The name of the check.</param>
    /// <param name="failureStatus">What it is while the store is away; null for Degraded.</param>
    /// <param name="tags">Tags, to choose checks by.</param>
    /// <returns>The health checks.</returns>
    public static IHealthChecksBuilder AddCoapCluster(
        this IHealthChecksBuilder builder, string name = "coap-cluster", HealthStatus? failureStatus = null,
        IEnumerable<string>? tags = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.Add(new HealthCheckRegistration(name,
            static provider => new ClusterHealthCheck(provider.GetRequiredService<CoapCluster>()), failureStatus ?? HealthStatus.Degraded,
            tags));
    }

    // Each node would have numbers of its own beside its copy of the file, and answer one request under one nonce with another text.
    private static void CheckOscore(CoapCluster cluster, CoapServerOptions options)
    {
        if (cluster.SharesSlots && options.Oscore.Files.Count > 0)
        {
            throw new InvalidOperationException(
                "The server has OSCORE contexts of files (Oscore:Files) and shares its devices with other nodes (LinkAddress). Nodes with "
                + "the same contexts would use numbers twice under one key, which reveals what the messages say. Let UseOscore find "
                + "contexts with the IOscoreStore of the cluster, or give them to a server of one node that has no UseCluster.");
        }
    }

    private static ClusterBuilder Add(IServiceCollection services, IConfiguration? named, Action<CoapClusterOptions>? configure)
    {
        ArgumentNullException.ThrowIfNull(services);
        ClusterSection? section = services.Select(static service => service.ImplementationInstance as ClusterSection)
            .FirstOrDefault(static found => found is not null);
        if (section is null)
        {
            section = new ClusterSection();
            Register(services, section);
        }

        section.Named = named ?? section.Named;
        if (configure is not null)
        {
            services.Configure(configure);
        }

        return new ClusterBuilder(services);
    }

    private static void Register(IServiceCollection services, ClusterSection section)
    {
        services.AddOptions<CoapClusterOptions>().ValidateOnStart();
        services.AddSingleton(section);
        services.AddSingleton<IConfigureOptions<CoapClusterOptions>>(
            provider => new ConfigureCluster(section, provider.GetService<IConfiguration>()));
        services.AddSingleton<IValidateOptions<CoapClusterOptions>>(new ClusterOptionsValidator(section));
        services.TryAddSingleton(static provider => new CoapCluster(
            FactoryOf(provider).Make(provider),
            provider.GetRequiredService<IOptions<CoapClusterOptions>>().Value,
            provider.GetService<TimeProvider>(),
            provider.GetService<CoapRandomSource>(),
            provider.GetService<ILoggerFactory>()?.CreateLogger(ClusterLog.Category)));
        services.TryAddSingleton(static provider => provider.GetRequiredService<CoapCluster>().Devices);
        services.TryAddSingleton<IOscoreStore>(static provider => provider.GetRequiredService<CoapCluster>().OscoreStore);
        services.TryAddEnumerable(ServiceDescriptor.Singleton<IHostedService, ClusterHostedService>());
    }

    private static CoapCluster ClusterOf(IServiceProvider services) => services.GetService<CoapCluster>()
        ?? throw new InvalidOperationException(
            "UseCluster was called on a server, and the application has no cluster. Call builder.Services.AddCoapCluster(...) too, before "
            + "or after it.");

    private static ClusterStoreFactory FactoryOf(IServiceProvider provider) => provider.GetService<ClusterStoreFactory>()
        ?? throw new InvalidOperationException(
            "AddCoapCluster was not told where the state is kept. Call UseSqlite(path), UsePostgreSql(connectionString) or, for tests, "
            + "UseMemory() on what it returns.");
}
