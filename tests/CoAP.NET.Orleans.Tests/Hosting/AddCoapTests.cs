using CoAP.NET.Cluster.Stores;
using CoAP.NET.Orleans.Tests.Silos;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Orleans.Configuration;
using Orleans.Connections.Security;
using Orleans.Hosting;

namespace CoAP.NET.Orleans.Tests.Hosting;

/// <summary>What an application is told that is not configured as it has to be.</summary>
public sealed class AddCoapTests
{
    private readonly CoapMemoryCluster _memory = new();

    [Fact]
    public async Task A_silo_without_a_cluster_does_not_start()
    {
        using IHost host = Build(_ => { });
        OrleansConfigurationException error = await Assert.ThrowsAsync<OrleansConfigurationException>(() => host.StartAsync());
        error.Mentions("AddCoapState");
    }

    [Fact]
    public async Task A_cluster_without_a_store_does_not_start()
    {
        using IHost host = Build(services => services.AddCoapState(options => options.Secrets = [SiloNode.Secret]));
        InvalidOperationException error = await Assert.ThrowsAsync<InvalidOperationException>(() => host.StartAsync());
        error.Mentions("UsePostgreSql");
    }

    [Fact]
    public async Task DTLS_without_Connection_IDs_is_refused()
    {
        using IHost host = Build(services =>
        {
            services.AddCoapState(options => options.Secrets = [SiloNode.Secret]).UseMemory(_memory);
            services.AddCoapServer(options => options.Endpoint.UseDtls(new CoapDtlsOptions
            {
                UseConnectionIds = false,
                Server = new CoapDtlsServerOptions { PskStore = new CoapPskDictionary() },
            })).KeepState();
        });
        InvalidOperationException error = await Assert.ThrowsAsync<InvalidOperationException>(() => host.StartAsync());
        error.Mentions("UseConnectionIds");
    }

    [Fact]
    public async Task A_silo_that_does_not_ask_others_for_a_certificate_does_not_start()
    {
        using IHost host = Build(services =>
        {
            services.AddCoapState(options => options.Secrets = [SiloNode.Secret]).UseMemory(_memory);
            services.PostConfigure<TlsOptions>(options => options.RemoteCertificateMode = RemoteCertificateMode.AllowCertificate);
        });
        OrleansConfigurationException error = await Assert.ThrowsAsync<OrleansConfigurationException>(() => host.StartAsync());
        error.Mentions("RequireCertificate");
    }

    [Fact]
    public void Failure_detection_and_logging_of_silos_have_suitable_defaults()
    {
        using IHost host = Build(services => services.AddCoapState(options => options.Secrets = [SiloNode.Secret]).UseMemory(_memory));
        ClusterMembershipOptions membership = host.Services.GetRequiredService<IOptions<ClusterMembershipOptions>>().Value;
        Assert.Equal((FromSeconds(1), 2, 2),
            (membership.ProbeTimeout, membership.NumMissedProbesLimit, membership.NumVotesForDeathDeclaration));
        ILoggerFactory loggers = host.Services.GetRequiredService<ILoggerFactory>();
        Assert.False(loggers.CreateLogger("Orleans.Runtime.Catalog").IsEnabled(LogLevel.Information));
        Assert.True(loggers.CreateLogger("Orleans.Runtime.Catalog").IsEnabled(LogLevel.Warning));
        Assert.True(loggers.CreateLogger("Orleans.Runtime.MembershipService.MembershipAgent").IsEnabled(LogLevel.Information));
        Assert.True(loggers.CreateLogger("Elsewhere").IsEnabled(LogLevel.Information));
    }

    [Theory]
    [InlineData("Default", "Error", LogLevel.Error, LogLevel.Error)]
    [InlineData("*", "Error", LogLevel.Error, LogLevel.Error)]
    [InlineData("Default", "Debug", LogLevel.Warning, LogLevel.Information)]
    [InlineData("Orleans", "Error", LogLevel.Error, LogLevel.Error)]
    [InlineData("Orleans", "Debug", LogLevel.Debug, LogLevel.Debug)]
    [InlineData("Orleans.Runtime", "Trace", LogLevel.Warning, LogLevel.Trace)]
    [InlineData(null, "Critical", LogLevel.Critical, LogLevel.Critical)]
    public void Logging_rules_of_the_application_override_those_for_the_Orleans_logs(
        string? category, string level, LogLevel lowest, LogLevel lowestOfMembership)
    {
        using IHost host = Build(
            services => services.AddCoapState(options => options.Secrets = [SiloNode.Secret]).UseMemory(_memory),
            logging =>
            {
                // As the configuration does; null is the minimum level in code.
                _ = category is null
                    ? logging.SetMinimumLevel(Enum.Parse<LogLevel>(level))
                    : logging.AddFilter(category == "Default" ? null : category, Enum.Parse<LogLevel>(level));
            });
        ILoggerFactory loggers = host.Services.GetRequiredService<ILoggerFactory>();

        Assert.Equal(lowest, LowestOf(loggers, "Orleans.Messaging"));
        Assert.Equal(lowestOfMembership, LowestOf(loggers, "Orleans.Runtime.MembershipService.MembershipAgent"));
    }

    [Theory]
    [InlineData(null, 2)]
    [InlineData(10, 20)]
    public async Task A_node_knows_after_what_time_Orleans_may_declare_it_dead(int? probe, int expected)
    {
        using IHost host = Build(services =>
        {
            services.AddCoapState(options => options.Secrets = [SiloNode.Secret]).UseMemory(_memory);
            if (probe is { } seconds)
            {
                services.PostConfigure<ClusterMembershipOptions>(
                    options => options.ProbeTimeout = options.MinProbeTimeout = FromSeconds(seconds));
            }
        });
        await using CoapCluster cluster = host.Services.GetRequiredService<CoapCluster>();
        Assert.Equal(FromSeconds(expected), cluster.Peers.DeathDelay);
    }

    private static LogLevel LowestOf(ILoggerFactory loggers, string category) =>
        Enum.GetValues<LogLevel>().First(loggers.CreateLogger(category).IsEnabled);

    private static IHost Build(Action<IServiceCollection> configure, Action<ILoggingBuilder>? log = null)
    {
        HostApplicationBuilder builder = Host.CreateApplicationBuilder(new HostApplicationBuilderSettings { DisableDefaults = true });
        builder.Logging.AddProvider(new Silence());
        log?.Invoke(builder.Logging);
        configure(builder.Services);
        builder.UseOrleans(silo => silo.UseLocalhostClustering(LoopbackPort.FindFree(), gatewayPort: 0)
            .AddCoap()
            .AddCoap()
            .WithSmallDirectoryCache());
        return builder.Build();
    }

    // Accepts everything that rules let through.
    private sealed class Silence : TestLogger
    {
        protected override void Write(LogLevel level, EventId id, string text, Exception? exception)
        {
        }
    }
}
