using Microsoft.Extensions.Logging.Abstractions;
using Orleans;
using Orleans.Configuration;
using Orleans.Hosting;
using Orleans.Runtime;
using Orleans.Runtime.Membership;
using Orleans.Runtime.MembershipService;

namespace CoAP.NET.Cluster.Tests.PostgreSql;

/// <summary>The tables of <see cref="CoapOrleansTables"/> under the membership protocol of the referenced version of Orleans.</summary>
[Collection(PostgreSqlCollection.Name)]
[External("postgres")]
public sealed class OrleansTableTests(PostgreSqlServer server) : IAsyncLifetime
{
    private const int Gateway = 30_000;
    private static readonly DateTime s_time = new(2026, 1, 2, 3, 4, 5, 678, DateTimeKind.Utc);
    private static int s_clusters;

    private readonly ClusterOptions _cluster = new()
    {
        ClusterId = $"members-{Interlocked.Increment(ref s_clusters)}",
        ServiceId = "meters",
    };

    private IMembershipTable _table = null!;

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    public async ValueTask InitializeAsync()
    {
        await CoapOrleansTables.CreateAsync(server.ConnectionString, Token);
        _table = Open();
        await _table.InitializeMembershipTableAsync(true, Token);
    }

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;

    [Fact]
    public async Task A_second_silo_keeps_the_version_of_the_first_one()
    {
        Assert.True(await _table.InsertRowAsync(Silo(1), await NextAsync(), Token));
        IMembershipTable second = Open();
        await second.InitializeMembershipTableAsync(true, Token);

        Assert.Equal(1, (await second.ReadAllAsync(Token)).Version.Version);
    }

    [Fact]
    public async Task A_silo_is_read_from_the_table_as_it_was_written()
    {
        MembershipEntry silo = Silo(1);
        Assert.True(await _table.InsertRowAsync(silo, await NextAsync(), Token));
        silo.SuspectTimes = [new(Silo(2).SiloAddress, s_time)];
        silo.Status = SiloStatus.Dead;
        silo.IAmAliveTime = s_time.AddSeconds(1);
        Assert.True(await UpdateAsync(silo, await NextAsync()));

        MembershipTableData data = await _table.ReadRowAsync(silo.SiloAddress, Token);
        MembershipEntry read = Assert.Single(data.Members).Item1;
        Assert.Equal(2, data.Version.Version);
        Assert.Equal(
            (silo.SiloAddress, silo.SiloName, silo.HostName, SiloStatus.Dead, Gateway, s_time, s_time.AddSeconds(1)),
            (read.SiloAddress, read.SiloName, read.HostName, read.Status, read.ProxyPort, read.StartTime, read.IAmAliveTime));
        Assert.Equal(silo.SuspectTimes, read.SuspectTimes);
    }

    [Fact]
    public async Task Reading_a_silo_that_is_not_in_the_table_returns_only_the_version()
    {
        MembershipTableData data = await _table.ReadRowAsync(Silo(1).SiloAddress, Token);

        Assert.Empty(data.Members);
        Assert.Equal(0, data.Version.Version);
    }

    [Fact]
    public async Task A_change_with_an_old_version_changes_nothing()
    {
        MembershipEntry silo = Silo(1);
        TableVersion old = await NextAsync();
        Assert.True(await _table.InsertRowAsync(silo, old, Token));

        silo.Status = SiloStatus.Dead;
        Assert.False(await UpdateAsync(silo, old));
        Assert.False(await _table.InsertRowAsync(Silo(2), old, Token));

        await IsAsync(1, SiloStatus.Active);
    }

    /// <summary>As the scripts of Orleans, which roll the version back.</summary>
    [Fact]
    public async Task A_change_of_a_silo_that_is_not_in_the_table_does_not_change_the_version()
    {
        MembershipEntry silo = Silo(1);
        Assert.True(await _table.InsertRowAsync(silo, await NextAsync(), Token));

        silo.Status = SiloStatus.Dead;
        Assert.False(await _table.InsertRowAsync(silo, await NextAsync(), Token));
        Assert.False(await UpdateAsync(Silo(2), await NextAsync()));

        await IsAsync(1, SiloStatus.Active);
    }

    [Fact]
    public async Task Only_one_of_several_concurrent_changes_with_the_same_version_succeeds()
    {
        TableVersion next = await NextAsync();

        bool[] isMade = await Task.WhenAll(Enumerable.Range(1, 8).Select(async number =>
        {
            IMembershipTable table = Open();
            await table.InitializeMembershipTableAsync(false, Token);
            return await table.InsertRowAsync(Silo(number), next, Token);
        }));

        Assert.Single(isMade, made => made);
        await IsAsync(1, SiloStatus.Active);
    }

    [Fact]
    public async Task UpdateIAmAlive_changes_the_time_of_a_silo_and_not_the_version()
    {
        MembershipEntry silo = Silo(1);
        Assert.True(await _table.InsertRowAsync(silo, await NextAsync(), Token));

        silo.IAmAliveTime = s_time.AddMinutes(1);
        await _table.UpdateIAmAliveAsync(silo, Token);

        MembershipTableData data = await _table.ReadAllAsync(Token);
        Assert.Equal((1, s_time.AddMinutes(1)), (data.Version.Version, Assert.Single(data.Members).Item1.IAmAliveTime));
    }

    [Fact]
    public async Task The_gateway_list_has_only_active_silos_with_a_gateway()
    {
        MembershipEntry without = Silo(2);
        without.ProxyPort = 0;
        MembershipEntry joining = Silo(3);
        joining.Status = SiloStatus.Joining;
        foreach (MembershipEntry silo in (MembershipEntry[])[Silo(1), without, joining])
        {
            Assert.True(await _table.InsertRowAsync(silo, await NextAsync(), Token));
        }

        AdoNetGatewayListProvider provider = new(
            NullLogger<AdoNetGatewayListProvider>.Instance, new ServiceCollection().BuildServiceProvider(),
            new OptionsWrapper<AdoNetClusteringClientOptions>(
                new() { Invariant = "Npgsql", ConnectionString = server.ConnectionString }),
            new OptionsWrapper<GatewayOptions>(new()), new OptionsWrapper<ClusterOptions>(_cluster));
        await provider.InitializeGatewayListProviderAsync(Token);
        Assert.Equal(Gateway, Assert.Single(await provider.GetGatewaysAsync(Token)).Port);
    }

    [Fact]
    public async Task Silos_that_ended_long_ago_are_removed()
    {
        MembershipEntry dead = Silo(2);
        dead.Status = SiloStatus.Dead;
        MembershipEntry justDead = Silo(3);
        (justDead.Status, justDead.IAmAliveTime) = (SiloStatus.Dead, s_time.AddHours(2));
        foreach (MembershipEntry silo in (MembershipEntry[])[Silo(1), dead, justDead])
        {
            Assert.True(await _table.InsertRowAsync(silo, await NextAsync(), Token));
        }

        await _table.CleanupDefunctSiloEntriesAsync(s_time.AddHours(1), Token);

        Assert.Equal([Silo(1).SiloAddress, justDead.SiloAddress],
            (await _table.ReadAllAsync(Token)).Members.Select(member => member.Item1.SiloAddress).Order());
    }

    [Fact]
    public async Task A_cluster_whose_entries_were_removed_starts_with_an_empty_table()
    {
        Assert.True(await _table.InsertRowAsync(Silo(1), await NextAsync(), Token));

        await _table.DeleteMembershipTableEntriesAsync(_cluster.ClusterId, Token);
        await _table.InitializeMembershipTableAsync(true, Token);

        MembershipTableData data = await _table.ReadAllAsync(Token);
        Assert.Empty(data.Members);
        Assert.Equal(0, data.Version.Version);
    }

    /// <summary>A silo writes itself again by the table of Orleans, and Orleans accepts the version.</summary>
    [Fact]
    public async Task A_running_silo_is_in_the_table_again_after_the_database_has_lost_it()
    {
        await server.DoAsync("drop schema if exists coap_cluster, coap_cluster_mark cascade");
        using IHost host = Make();
        await host.StartAsync(Token);
        try
        {
            MembershipTableData before = await _table.ReadAllAsync(Token);
            SiloAddress silo = Assert.Single(before.Members).Item1.SiloAddress;

            await server.DoAsync($"delete from OrleansMembershipTable where DeploymentId = '{_cluster.ClusterId}'; "
                + $"update OrleansMembershipVersionTable set Version = 0 where DeploymentId = '{_cluster.ClusterId}'; "
                + "update coap_cluster.map set history = '1/00000001'; select pg_terminate_backend(pid) from pg_stat_activity "
                + "where application_name = 'CoAP.NET.Cluster'");

            CoapCluster cluster = host.Services.GetRequiredService<CoapCluster>();
            await Eventually.IsTrueAsync(() => cluster.Map.StaleFence.IsSet);
            await Eventually.IsTrueOrHangsAsync(() => ReadAsync().GetAwaiter().GetResult() is var data
                && data.Version.Version > before.Version.Version
                && data.TryGet(silo) is { Item1.Status: SiloStatus.Active });
            MembershipTableData after = await ReadAsync();
            Assert.Equal(SiloStatus.Active, after.TryGet(silo)?.Item1.Status);
            Assert.InRange(after.Version.Version, before.Version.Version + 1, int.MaxValue);
        }
        finally
        {
            await host.StopAsync(CancellationToken.None);
        }

        Task<MembershipTableData> ReadAsync() => _table.ReadAllAsync(Token);
    }

    private async Task IsAsync(int version, SiloStatus status)
    {
        MembershipTableData data = await _table.ReadAllAsync(Token);
        Assert.Equal((version, status), (data.Version.Version, Assert.Single(data.Members).Item1.Status));
    }

    // With the entity-tag of the one row.
    private async Task<bool> UpdateAsync(MembershipEntry silo, TableVersion next) =>
        await _table.UpdateRowAsync(silo, Assert.Single((await _table.ReadAllAsync(Token)).Members).Item2, next, Token);

    private async Task<TableVersion> NextAsync() => (await _table.ReadAllAsync(Token)).Version.Next();

    private AdoNetClusteringTable Open() => new(
        new ServiceCollection().BuildServiceProvider(), new OptionsWrapper<ClusterOptions>(_cluster),
        new OptionsWrapper<AdoNetClusteringSiloOptions>(new() { Invariant = "Npgsql", ConnectionString = server.ConnectionString }),
        NullLogger<AdoNetClusteringTable>.Instance);

    private static MembershipEntry Silo(int number) => new()
    {
        SiloAddress = SiloAddress.New(IPAddress.Loopback, 11_110 + number, number),
        SiloName = $"silo-{number}",
        HostName = "meters",
        Status = SiloStatus.Active,
        ProxyPort = Gateway,
        StartTime = s_time,
        IAmAliveTime = s_time,
    };

    private IHost Make()
    {
        HostApplicationBuilder builder = Host.CreateApplicationBuilder(new HostApplicationBuilderSettings { DisableDefaults = true });
        builder.Services.AddCoapState(options =>
        {
            options.Secrets = ClusterTests.Options().Secrets;
            options.Lease = FromSeconds(1);
            options.Moves.SettleTime = TimeSpan.Zero;
            options.Moves.LeaveTimeout = FromSeconds(1);
            options.Moves.RelayTime = TimeSpan.Zero;
            options.Writer.StopTimeout = FromSeconds(1);
        }).UsePostgreSql(server.ConnectionString);
        builder.Services.AddCoapServer(options => options.Listen("coap://127.0.0.1:0")).KeepState();
        builder.UseOrleans(silo => silo
            .Configure<ClusterOptions>(options => (options.ClusterId, options.ServiceId) = (_cluster.ClusterId, _cluster.ServiceId))
            .ConfigureEndpoints(IPAddress.Loopback, LoopbackPort.FindFree(), gatewayPort: 0)
            .UseAdoNetClustering(options => (options.Invariant, options.ConnectionString) = ("Npgsql", server.ConnectionString))
            .AddCoap());
        return builder.Build();
    }
}
