using CoAP.NET.Cluster;
using CoAP.NET.Cluster.Writing;
using CoAP.NET.Orleans.Devices;
using CoAP.NET.Orleans.Hosting;
using CoAP.NET.Orleans.Nodes;
using CoAP.NET.Orleans.Slots;
using Microsoft.AspNetCore.Connections;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Options;
using Orleans.Configuration;
using Orleans.Connections.Security;
using Orleans.Runtime;
using Orleans.Runtime.Hosting;
using Orleans.Serialization;

namespace Orleans.Hosting;

/// <summary>Lets CoAP servers on several silos share their devices.</summary>
public static class CoapSiloBuilderExtensions
{
    // A device repeats a message after 2 to 3 s.
    private static readonly TimeSpan s_probe = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_refresh = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan s_alive = TimeSpan.FromSeconds(10);

    /// <summary>
    /// Lets the CoAP servers of this application and of the other silos share their devices: each DTLS session and its observers are at one
    /// silo, and move when silos start, stop or fail.
    /// </summary>
    /// <remarks>
    /// The state is in the store of <c>AddCoapState</c>, which all silos share, such as <c>UsePostgreSql</c>. Call <c>KeepState</c> on
    /// each server.
    /// <para>A silo counts as dead after two missed probes of one second, one of them through a third silo, and its slots are at others at
    /// once. From three silos on, two have to agree. Change <see cref="ClusterMembershipOptions"/> afterwards for other times. Orleans logs
    /// warnings and its membership only, and nothing below the minimum level of the application. Rules of the application for categories of
    /// Orleans prevail.</para>
    /// <para>The sequence numbers of OSCORE contexts move with their slots, too. Requests under OSCORE are not relayed: at a silo without
    /// the slot of their context they are refused (<c>OscoreStoreFault.InUse</c>).</para>
    /// <para>Silos connect by TLS, with keys made of the secrets of the cluster: one without them reaches nothing. Change
    /// <see cref="TlsOptions"/> afterwards for certificates of your own. A client outside of the silos calls
    /// <see cref="CoapClientBuilderExtensions.AddCoap"/>.</para>
    /// <para>The silo gets devices when all servers of the host run, and hands them over before the host stops them.
    /// </para>
    /// </remarks>
    /// <param name="silo">The silo.</param>
    /// <returns>The silo.</returns>
    public static ISiloBuilder AddCoap(this ISiloBuilder silo)
    {
        ArgumentNullException.ThrowIfNull(silo);
        IServiceCollection services = silo.Services;
        if (services.Any(static service => service.ServiceType == typeof(SiloSlotTable)))
        {
            return silo;
        }

        // Orleans looks only into assemblies that are loaded, or directly depend on its serializer.
        services.AddSerializer(static serializer => serializer.AddAssembly(typeof(SlotGrain).Assembly));
        services.AddSingleton<IConfigurationValidator, CoapSiloValidator>();
        services.AddSingleton<CoapNodeClient>();
        services.AddSingleton(static provider =>
            new SiloCertificate(provider.GetRequiredService<IOptions<CoapClusterOptions>>().Value.Secrets));
        services.AddOptions<TlsOptions>().Configure<SiloCertificate>(static (options, certificate) => certificate.Configure(options));
        services.Configure<SiloConnectionOptions>(static options =>
        {
            options.ConfigureSiloInboundConnection(static connection => connection.UseServerTls(TlsOf(connection)));
            options.ConfigureSiloOutboundConnection(static connection => connection.UseClientTls(TlsOf(connection)));
            options.ConfigureGatewayInboundConnection(static connection => connection.UseServerTls(TlsOf(connection)));
        });
        services.AddSiloDevices();
        services.AddSingleton(static provider => new SiloNetwork(
            provider.GetRequiredService<ILocalSiloDetails>().SiloAddress, provider.GetRequiredService<CoapNodeClient>().At,
            provider.GetRequiredService<ISiloStatusOracle>(),
            DeathDelayOf(provider.GetRequiredService<IOptions<ClusterMembershipOptions>>().Value)));
        services.AddSingleton(static provider => new SiloSlotTable(
            provider.GetRequiredService<CoapCluster>(), provider.GetRequiredService<SiloNetwork>(), TimeOf(provider)));
        services.AddOptions<CoapClusterOptions>().Configure<IServiceProvider>(static (options, provider) =>
            options.Network = _ => provider.GetRequiredService<SiloNetwork>());
        services.AddSingleton(static provider => provider.GetRequiredService<CoapCluster>().Service);
        services.AddGrainService<NodeGrainService>();
        NamedPlacement.Add<SlotPlacement, SlotPlacementDirector>(services);
        services.AddGrainDirectory(SlotDirectory.Name, static (provider, _) => new SlotDirectory(provider));
        services.AddSingleton<IHostedService>(static provider => new SlotBalancer(provider, LoggerOf(provider)));
        services.AddSingleton<IHostedService>(static provider => new OwnSiloMembershipRestorer(provider, LoggerOf(provider)));
        services.Configure<ClusterMembershipOptions>(static options =>
        {
            options.ProbeTimeout = s_probe;

            // Half of it by default, which a busy machine misses.
            options.MinProbeTimeout = s_probe;
            options.NumMissedProbesLimit = 2;

            // Of two silos, Orleans lets one declare the other dead. From three on, one that receives nothing must not end the others.
            options.NumVotesForDeathDeclaration = 2;

            // After three of them a silo without one does not count for the votes: 30 s after two of three have died at the same time.
            options.IAmAliveTablePublishTimeout = s_alive;
            options.TableRefreshTimeout = s_refresh;
        });

        services.PostConfigure<LoggerFilterOptions>(static options => Quiet(options,
            ("Orleans", LogLevel.Warning), ("Orleans.Runtime.MembershipService", LogLevel.Information)));
        return silo;
    }

    private static TlsOptions TlsOf(IConnectionBuilder connection) =>
        connection.ApplicationServices.GetRequiredService<IOptions<TlsOptions>>().Value;

    private static TimeProvider TimeOf(IServiceProvider provider) => provider.GetService<TimeProvider>() ?? TimeProvider.System;

    private static ILogger LoggerOf(IServiceProvider provider) =>
        provider.GetService<ILoggerFactory>()?.CreateLogger(ClusterLog.Category) ?? NullLogger.Instance;

    // A silo is dead when so many probes in a row were not answered in time.
    private static TimeSpan DeathDelayOf(ClusterMembershipOptions options) => options.NumMissedProbesLimit
        * (options.MinProbeTimeout < options.ProbeTimeout ? options.MinProbeTimeout : options.ProbeTimeout);

    // A rule for a category would replace the minimum level of the application, so it never allows more than that.
    private static void Quiet(LoggerFilterOptions options, params ReadOnlySpan<(string Category, LogLevel Level)> noisy)
    {
        LoggerFilterRule[] rules = [.. options.Rules.Where(static rule => rule.ProviderName is null)];
        LoggerFilterRule? general = Array.FindLast(rules, static rule => PrefixOf(rule).Length == 0);
        LogLevel minimum = general is null ? options.MinLevel : general.LogLevel ?? LogLevel.Trace;
        foreach ((string category, LogLevel level) in noisy)
        {
            if (!Array.Exists(rules, rule =>
                PrefixOf(rule) is { Length: > 0 } prefix && category.StartsWith(prefix, StringComparison.OrdinalIgnoreCase)))
            {
                options.Rules.Add(new LoggerFilterRule(null, category, level > minimum ? level : minimum, general?.Filter));
            }
        }
    }

    private static string PrefixOf(LoggerFilterRule rule) => (rule.CategoryName ?? "").TrimEnd('*');
}
