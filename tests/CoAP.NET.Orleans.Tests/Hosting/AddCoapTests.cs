using CoAP.NET.Cluster;
using CoAP.NET.Dtls;
using CoAP.NET.Orleans.Tests.Silos;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Orleans.Configuration;
using Orleans.Hosting;
using Orleans.Runtime;

namespace CoAP.NET.Orleans.Tests.Hosting;

/// <summary>What an application is told that is not configured as it has to be.</summary>
public sealed class AddCoapTests
{
    private readonly CoapMemoryCluster _memory = new();

    [Fact]
    public async Task A_silo_without_a_cluster_does_not_start()
    {
        using IHost host = Build(static _ => { });
        OrleansConfigurationException error = await Assert.ThrowsAsync<OrleansConfigurationException>(() => host.StartAsync());
        Assert.Contains("AddCoapCluster", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_cluster_without_a_store_does_not_start()
    {
        using IHost host = Build(static services => services.AddCoapCluster(static options => options.Secrets = [SiloNode.Secret]));
        InvalidOperationException error = await Assert.ThrowsAsync<InvalidOperationException>(() => host.StartAsync());
        Assert.Contains("UsePostgreSql", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task DTLS_without_Connection_IDs_is_refused()
    {
        using IHost host = Build(services =>
        {
            services.AddCoapCluster(static options => options.Secrets = [SiloNode.Secret]).UseMemory(_memory);
            services.AddCoapServer(static options => options.Endpoint.UseDtls(new CoapDtlsOptions
            {
                UseConnectionIds = false,
                Server = new CoapDtlsServerOptions { PskStore = new CoapPskDictionary() },
            })).UseCluster();
        });
        InvalidOperationException error = await Assert.ThrowsAsync<InvalidOperationException>(() => host.StartAsync());
        Assert.Contains("UseConnectionIds", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Silos_are_missed_as_soon_as_devices_repeat_themselves_and_log_what_an_operator_can_bear()
    {
        using IHost host = Build(services => services.AddCoapCluster(static options => options.Secrets = [SiloNode.Secret]).UseMemory(_memory));
        ClusterMembershipOptions membership = host.Services.GetRequiredService<IOptions<ClusterMembershipOptions>>().Value;
        Assert.Equal((TimeSpan.FromSeconds(1), 2, 1),
            (membership.ProbeTimeout, membership.NumMissedProbesLimit, membership.NumVotesForDeathDeclaration));
        ILoggerFactory loggers = host.Services.GetRequiredService<ILoggerFactory>();
        Assert.False(loggers.CreateLogger("Orleans.Runtime.Catalog").IsEnabled(LogLevel.Information));
        Assert.True(loggers.CreateLogger("Orleans.Runtime.Catalog").IsEnabled(LogLevel.Warning));
        Assert.True(loggers.CreateLogger("Orleans.Runtime.MembershipService.MembershipAgent").IsEnabled(LogLevel.Information));
        Assert.True(loggers.CreateLogger("Elsewhere").IsEnabled(LogLevel.Information));
    }

    private static IHost Build(Action<IServiceCollection> configure)
    {
        HostApplicationBuilder builder = Host.CreateApplicationBuilder(new HostApplicationBuilderSettings { DisableDefaults = true });
        builder.Logging.AddProvider(new Silence());
        configure(builder.Services);
        builder.UseOrleans(static silo => silo.UseLocalhostClustering(LoopbackPort.FindFree(), gatewayPort: 0).AddCoap().AddCoap());
        return builder.Build();
    }

    // Accepts everything that rules let through.
    private sealed class Silence : ILoggerProvider, ILogger
    {
        public ILogger CreateLogger(string categoryName) => this;

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(
            LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
        }

        public void Dispose()
        {
        }
    }
}
