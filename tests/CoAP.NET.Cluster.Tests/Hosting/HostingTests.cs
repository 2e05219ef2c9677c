using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Stores;
using CoAP.NET.Hosting.Server;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace CoAP.NET.Cluster.Tests.Hosting;

/// <summary>Real clock: the host and the links between the nodes have the clock of the system.</summary>
public sealed class HostingTests
{
    private static readonly byte[] s_secret = [.. Enumerable.Range(1, 32).Select(i => (byte)i)];

    private readonly CoapMemoryCluster _memory = new();

    [Fact]
    public async Task An_application_joins_the_cluster_when_it_starts_and_leaves_when_it_has_stopped()
    {
        using (IHost host = Build(services => { }))
        {
            await host.StartAsync();
            CoapCluster cluster = host.Services.GetRequiredService<CoapCluster>();
            Assert.Equal(CoapSlot.Count, cluster.Map.SlotsOf(cluster.Self.Id).Count);
            Assert.Same(cluster.OscoreStore, host.Services.GetRequiredService<IOscoreStore>());
            await host.StopAsync();
        }

        await using ICoapClusterStore store = _memory.Open();
        Assert.Single((await store.JoinAsync(new CoapClusterNode(CoapNodeId.New(), ""), FromHours(1), default)).Nodes);
    }

    [Fact]
    public async Task An_application_takes_its_share_of_the_slots_only_after_its_servers_have_started()
    {
        using IHost host = Build(services => services
            .Configure<CoapClusterOptions>(options => options.Network = NetworkOf)
            .AddHostedService<Onlooker>());
        await host.StartAsync();
        CoapCluster cluster = host.Services.GetRequiredService<CoapCluster>();

        Assert.Equal("", host.Services.GetServices<IHostedService>().OfType<Onlooker>().Single().Address);
        await Eventually.IsTrueAsync(() => Assert.Single(cluster.Map.Nodes).Address.Length > 0);
        await host.StopAsync();
    }

    [Fact]
    public async Task A_node_that_never_joined_is_unhealthy_regardless_of_the_configured_failure_status()
    {
        _memory.IsAway = true;
        using IHost host = Build(services => services.AddHealthChecks().AddCoapState(failureStatus: HealthStatus.Degraded));
        await host.StartAsync();

        HealthReport report = await host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync();

        Assert.Equal(HealthStatus.Unhealthy, report.Entries["coap-cluster"].Status);
        report.Entries["coap-cluster"].Description.Mentions("never joined");
        await host.StopAsync();
    }

    [Fact]
    public async Task A_node_with_another_secret_is_unhealthy_regardless_of_the_configured_failure_status()
    {
        await using CoapCluster member = new(_memory.Open(), new CoapClusterOptions { Secrets = [s_secret.Reverse().ToArray()] });
        await member.StartAsync();
        using IHost host = Build(services => services.AddHealthChecks().AddCoapState(failureStatus: HealthStatus.Degraded));
        await host.StartAsync();

        HealthReportEntry entry = (await host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync()).Entries["coap-cluster"];

        Assert.Equal(HealthStatus.Unhealthy, entry.Status);
        entry.Description.Begins("The secret of this node is not the secret of the cluster");
        Assert.Equal(0, entry.Data["slots"]);
        await host.StopAsync();
    }

    [Fact]
    public async Task Health_is_degraded_while_the_store_is_unavailable()
    {
        using IHost host = Build(services => services
            .Configure<CoapClusterOptions>(options => options.Lease = FromSeconds(1))
            .AddHealthChecks().AddCoapState());
        await host.StartAsync();
        _memory.IsAway = true;
        CoapCluster cluster = host.Services.GetRequiredService<CoapCluster>();
        await Eventually.IsTrueAsync(() => cluster.Health.IsDegraded);

        HealthReport report = await host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync();

        Assert.Equal(HealthStatus.Degraded, report.Entries["coap-cluster"].Status);
        report.Entries["coap-cluster"].Description.Mentions("continues without it");
        await host.StopAsync();
    }

    [Fact]
    public async Task The_health_report_has_the_number_of_slots_of_the_node()
    {
        using IHost host = Build(services => services.AddHealthChecks().AddCoapState());
        await host.StartAsync();

        HealthReport report = await host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync();

        Assert.Equal(HealthStatus.Healthy, report.Status);
        Assert.Equal(256, report.Entries["coap-cluster"].Data["slots"]);
        await host.StopAsync();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task OSCORE_context_files_are_refused_where_nodes_share_devices(bool isShared)
    {
        string folder = Directory.CreateTempSubdirectory("coap-cluster-").FullName;
        string file = Path.Combine(folder, "contexts.json");
        await File.WriteAllTextAsync(
            file, """{ "masterSecret": "0x0102030405060708090a0b0c0d0e0f10", "senderId": "0x01", "recipientId": "0x02" }""");
        using (IHost host = Build(services =>
        {
            if (isShared)
            {
                services.Configure<CoapClusterOptions>(options => options.Network = NetworkOf);
            }

            services.AddCoapServer(options => options.Listen("coap://127.0.0.1:0"))
                .UseOscoreFiles(oscore => oscore.Files.Add(file)).KeepState();
        }))
        {
            if (isShared)
            {
                InvalidOperationException exception = await Assert.ThrowsAsync<InvalidOperationException>(() => host.StartAsync());
                exception.Mentions("IOscoreStore");
            }
            else
            {
                await host.StartAsync();
                await host.StopAsync();
            }
        }

        Directory.Delete(folder, recursive: true);
    }

    [Fact]
    public async Task The_start_error_without_a_secret_or_a_store_names_what_is_missing()
    {
        HostApplicationBuilder builder = new();
        builder.Services.AddCoapState(_ => { }).UseMemory();
        using (IHost host = builder.Build())
        {
            OptionsValidationException exception = await Assert.ThrowsAsync<OptionsValidationException>(() => host.StartAsync());
            exception.Mentions("NewSecret");
        }

        builder = new HostApplicationBuilder();
        builder.Services.AddCoapState(options => options.Secrets = [s_secret]);
        using IHost other = builder.Build();
        InvalidOperationException missing = await Assert.ThrowsAsync<InvalidOperationException>(() => other.StartAsync());
        missing.Mentions("UseSqlite");
    }

    [Fact]
    public async Task An_application_in_a_test_host_keeps_its_state_in_memory()
    {
        string folder = Directory.CreateTempSubdirectory("coap-hosting-").FullName;
        string file = Path.Combine(folder, "coap.db");
        foreach (bool isTest in new[] { true, false })
        {
            HostApplicationBuilder builder = new();
            builder.Services.AddCoapState(options => options.Secrets = [s_secret]).UseSqlite(file);
            if (isTest)
            {
                builder.Services.AddSingleton<CoapTestHostMarker>();
            }

            using IHost host = builder.Build();
            await host.StartAsync();
            Assert.Equal(!isTest, File.Exists(file));
            await host.StopAsync();
        }

        Directory.Delete(folder, recursive: true);
    }

    [Fact]
    public void A_second_store_and_invalid_settings_are_refused_at_registration()
    {
        ICoapClusterBuilder builder = new ServiceCollection().AddCoapState(options => options.Secrets = [s_secret]);
        Assert.Throws<ArgumentException>(() => builder.UsePostgreSql(""));
        Assert.Throws<ArgumentException>(() => builder.UseSqlite(" "));
        Assert.Throws<ArgumentOutOfRangeException>(() => builder.UseSqlite("a", options => options.MaxBytes = 1));
        builder.UseSqlite("coap.db");

        Assert.Throws<InvalidOperationException>(() => builder.UseMemory()).Mentions("once");
    }

    // Of a node that shares the slots with others, of which there are none.
    private static HubNetwork NetworkOf(CoapNodeId id) => new(new NodeHub(), id, TimeProvider.System, host: null);

    private IHost Build(Action<IServiceCollection> configure)
    {
        HostApplicationBuilder builder = new();
        builder.Services.AddCoapState(options =>
        {
            options.Secrets = [s_secret];
            options.Lease = FromHours(1);
        }).UseMemory(_memory);
        configure(builder.Services);
        return builder.Build();
    }

    private sealed class Onlooker(CoapCluster cluster) : IHostedService
    {
        /// <summary>What others are told about the node while servers start.</summary>
        public string? Address { get; private set; }

        public Task StartAsync(CancellationToken cancellationToken)
        {
            Address = Assert.Single(cluster.Map.Nodes).Address;
            return Task.CompletedTask;
        }

        public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
    }
}
