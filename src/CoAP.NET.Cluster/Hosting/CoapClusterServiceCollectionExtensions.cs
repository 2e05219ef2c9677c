using CoAP.NET;
using CoAP.NET.Cluster;
using CoAP.NET.Cluster.Hosting;
using CoAP.NET.Cluster.Stores;
using CoAP.NET.Cluster.Writing;
using CoAP.NET.Hosting;
using CoAP.NET.Hosting.Parts;
using CoAP.NET.Hosting.Server;
using CoAP.NET.Oscore;
using CoAP.NET.Oscore.Hosting;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Adds cluster state, which outlives the process, to an application.</summary>
public static class CoapClusterServiceCollectionExtensions
{
    /// <summary>
    /// Makes the application a node of a cluster, possibly the only one, with the settings of the configuration section
    /// <c>Coap:Cluster</c>.
    /// </summary>
    /// <remarks>
    /// It registers <see cref="CoapCluster"/>, <see cref="ICoapDevices"/> and, for sequence numbers of OSCORE, <see cref="IOscoreStore"/>.
    /// The node joins before servers start, and ends after they have stopped. Choose a store: <c>UseSqlite</c>, <c>UsePostgreSql</c>,
    /// or <see cref="UseMemory(ICoapClusterBuilder)"/>.
    /// </remarks>
    /// <param name="services">The services.</param>
    /// <param name="configure">Sets options after the configuration; null for none. <see cref="CoapClusterOptions.Secrets"/> is required,
    /// here or with the key <c>SecretFile</c>. The application validates all options at its start.</param>
    /// <returns>The builder for the choice of the store.</returns>
    public static ICoapClusterBuilder AddCoapState(this IServiceCollection services, Action<CoapClusterOptions>? configure = null) =>
        Add(services, null, configure);

    /// <summary>Makes the application a node of a cluster, with the settings of a configuration section.</summary>
    /// <param name="services">The services.</param>
    /// <param name="section">The section that replaces <c>Coap:Cluster</c>.</param>
    /// <param name="configure">Sets options after the configuration; null for none.</param>
    /// <returns>The builder for the choice of the store.</returns>
    public static ICoapClusterBuilder AddCoapState(
        this IServiceCollection services, IConfiguration section, Action<CoapClusterOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(section);
        return Add(services, section, configure);
    }

    /// <summary>Assigns device names to peers, for requests by name from any node through <see cref="ICoapDevices"/>.</summary>
    /// <param name="builder">The cluster.</param>
    /// <param name="nameOf">Returns the device name of a peer, null for none; see <see cref="CoapDeviceOptions.NameOf"/>.</param>
    /// <param name="configure">Sets further options of devices; null for the defaults.</param>
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

    /// <summary>Keeps the state in a store.</summary>
    /// <remarks>In a test with <c>CoapApplicationFactory</c> the state is in memory instead.</remarks>
    /// <param name="builder">The cluster.</param>
    /// <param name="make">Creates the store, once; it is disposed with the application.</param>
    /// <returns>The builder.</returns>
    /// <exception cref="InvalidOperationException">Another store was chosen before.</exception>
    internal static ICoapClusterBuilder UseStore(this ICoapClusterBuilder builder, Func<IServiceProvider, ICoapClusterStore> make)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(make);
        return Use(builder, new ClusterStoreFactory(make, isInMemory: false));
    }

    /// <summary>Keeps the state in memory, which ends with the process. Meant for tests and development.</summary>
    /// <param name="builder">The cluster.</param>
    /// <returns>The builder.</returns>
    public static ICoapClusterBuilder UseMemory(this ICoapClusterBuilder builder) => builder.UseMemory(null);

    /// <summary>Keeps the state in memory.</summary>
    /// <param name="builder">The cluster.</param>
    /// <param name="memory">The memory to share between several applications of one process; null for separate memory.</param>
    /// <returns>The builder.</returns>
    internal static ICoapClusterBuilder UseMemory(this ICoapClusterBuilder builder, CoapMemoryCluster? memory) =>
        Use(builder, new ClusterStoreFactory(
            provider => (memory ?? new CoapMemoryCluster(provider.GetService<TimeProvider>())).Open(), isInMemory: true));

    /// <summary>
    /// Attaches a server to the cluster of the application (<see cref="AddCoapState(IServiceCollection, Action{CoapClusterOptions}?)"/>):
    /// its observers and DTLS sessions outlive the process.
    /// </summary>
    /// <remarks>
    /// DTLS may be configured by configuration or by code. The name of the server distinguishes it from others of the application. A server
    /// with OSCORE contexts from files does not start if nodes share their devices, because each node would number messages on its own.
    /// </remarks>
    /// <param name="builder">The server.</param>
    /// <returns>The builder.</returns>
    public static ICoapServerBuilder KeepState(this ICoapServerBuilder builder)
    {
        ArgumentNullException.ThrowIfNull(builder);
        string name = builder.Name;
        return builder
            .ConfigureEndpoint((options, services) => ClusterOf(services).KeepState(options, name))
            .ConfigureServer((server, services) =>
            {
                CoapCluster cluster = ClusterOf(services);
                CheckOscore(cluster, services.OptionsOf<CoapOscoreServerFileOptions>(name));
                cluster.Attach(server);
            });
    }

    /// <summary>Checks whether the store of the cluster accepts leases and records.</summary>
    /// <remarks>
    /// While the store is unavailable the server continues; the status is therefore Degraded by default. A node is Unhealthy, regardless of
    /// <paramref name="failureStatus"/>, before it has joined, while it leaves, and when its store is gone or was replaced. It is Degraded
    /// if the store does not notice every loss (<c>storeLimitation</c> in the data).
    /// </remarks>
    /// <param name="builder">The health checks.</param>
    /// <param name="name">The name of the check.</param>
    /// <param name="failureStatus">The status while the store is unavailable; null for Degraded.</param>
    /// <param name="tags">Tags to filter checks.</param>
    /// <returns>The health checks.</returns>
    public static IHealthChecksBuilder AddCoapState(
        this IHealthChecksBuilder builder, string name = "coap-cluster", HealthStatus? failureStatus = null,
        IEnumerable<string>? tags = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.Add(new HealthCheckRegistration(name,
            static provider => new ClusterHealthCheck(provider.GetRequiredService<CoapCluster>()), failureStatus ?? HealthStatus.Degraded,
            tags));
    }

    // Each node would have its own numbers next to its copy of the file, and answer a request with different texts under the same nonce.
    private static void CheckOscore(CoapCluster cluster, CoapOscoreServerFileOptions options)
    {
        if (cluster.Peers.IsOn && options.Files.Count > 0)
        {
            throw new InvalidOperationException(
                "The server has OSCORE contexts from files (Oscore:Files) and shares its devices with other nodes. Nodes "
                + "with the same contexts would use numbers twice under one key, which reveals the messages. Let UseOscore find "
                + "contexts with the IOscoreStore of the cluster, or use them on a server of one node without KeepState.");
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
            provider => new ConfigureClusterOptions(section, provider.GetService<IConfiguration>()));
        services.AddSingleton<IValidateOptions<CoapClusterOptions>>(new ClusterOptionsValidator(section));
        services.TryAddSingleton(static provider => new CoapCluster(
            StoreOf(provider),
            provider.OptionsOf<CoapClusterOptions>(""),
            provider.GetService<TimeProvider>(),
            provider.GetService<CoapRandomSource>(),
            provider.GetService<ILoggerFactory>()?.CreateLogger(ClusterLog.Category)));
        services.TryAddSingleton(static provider => provider.GetRequiredService<CoapCluster>().Devices);
        services.TryAddSingleton<ICoapReplicatedTableProvider>(static provider => provider.GetRequiredService<CoapCluster>());
        services.TryAddSingleton<IOscoreStore>(static provider => provider.GetRequiredService<CoapCluster>().OscoreStore);
        services.TryAddEnumerable(ServiceDescriptor.Singleton<IHostedService, ClusterHostedService>());
    }

    private static CoapCluster ClusterOf(IServiceProvider services) => services.GetService<CoapCluster>()
        ?? throw new InvalidOperationException(
            "KeepState was called on a server, but the application has no cluster. Call builder.Services.AddCoapState(...), too, before "
            + "or after it.");

    private static ICoapClusterBuilder Use(ICoapClusterBuilder builder, ClusterStoreFactory factory)
    {
        ArgumentNullException.ThrowIfNull(builder);
        if (builder.Services.Any(static service => service.ServiceType == typeof(ClusterStoreFactory)))
        {
            throw new InvalidOperationException(
                "The cluster of this application already has a store. Call only one of UseSqlite, UsePostgreSql and UseMemory, once.");
        }

        builder.Services.AddSingleton(factory);
        return builder;
    }

    // An application that runs in a test leaves no file, and shares none with the tests beside it.
    private static ICoapClusterStore StoreOf(IServiceProvider provider)
    {
        ClusterStoreFactory factory = FactoryOf(provider);
        return !factory.IsInMemory && provider.GetService<CoapTestHostMarker>() is not null
            ? new CoapMemoryCluster(provider.GetService<TimeProvider>()).Open()
            : factory.Make(provider);
    }

    private static ClusterStoreFactory FactoryOf(IServiceProvider provider) => provider.GetService<ClusterStoreFactory>()
        ?? throw new InvalidOperationException(
            "AddCoapState has no store for the state. Call UseSqlite(path), UsePostgreSql(connectionString) or, for tests, "
            + "UseMemory() on its result.");
}
