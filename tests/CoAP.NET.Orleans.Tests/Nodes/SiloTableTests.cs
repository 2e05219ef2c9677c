using CoAP.NET.Cluster.Stores;
using CoAP.NET.Orleans.Nodes;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.Orleans.Tests.Nodes;

/// <summary>The membership table of Orleans after the store has lost confirmed changes.</summary>
public sealed class SiloTableTests : IAsyncDisposable
{
    private const int Known = 7;
    private static readonly TimeSpan s_long = FromMinutes(1);
    private static readonly SiloAddress s_silo = SiloAddress.New(IPAddress.Loopback, 11_111, 1);

    private readonly VirtualClock _clock = new();
    private readonly CoapMemoryCluster _memory;
    private readonly CoapCluster _cluster;
    private readonly OwnSiloMembershipRestorer _table;
    private readonly ServiceProvider _services;
    private readonly Lock _gate = new();
    private MembershipEntry? _row;
    private int _version = Known;
    private int _failures;
    private int _reads;

    public SiloTableTests()
    {
        _memory = new CoapMemoryCluster(_clock);
        _cluster = new CoapCluster(_memory.Open(), new CoapClusterOptions
        {
            Secrets = [Enumerable.Range(1, 32).Select(i => (byte)i).ToArray()],
            Lease = FromHours(1),
        }, _clock);
        _row = new MembershipEntry { SiloAddress = s_silo, Status = SiloStatus.Active };
        _services = new ServiceCollection()
            .AddSingleton<TimeProvider>(_clock)
            .AddSingleton(_ => _cluster)
            .AddSingleton(Stub.Make<IMembershipTable>((method, arguments) => Table(method.Name, arguments)))
            .AddSingleton(Stub.Make<ILocalSiloDetails>((method, _) => method.Name switch
            {
                "get_SiloAddress" => s_silo,
                "get_Name" => "silo",
                _ => null,
            }))
            .AddSingleton(Stub.Make<ISiloStatusOracle>((_, _) => SiloStatus.Active))
            .AddSingleton(Stub.Make<IClusterMembershipService>(
                (_, _) => new ClusterMembershipSnapshot([], new MembershipVersion(Known))))
            .BuildServiceProvider();
        _table = new OwnSiloMembershipRestorer(_services, NullLogger.Instance);
    }

    [Fact]
    public async Task A_silo_missing_after_a_table_loss_is_written_again_with_a_version_that_other_silos_accept()
    {
        await LoseAsync(() => (_row, _version) = (null, Known - 3));

        await Eventually.IsTrueAsync(() => Read() is { Row: not null });
        Assert.Equal(Known - 2, Read().Version);
        Assert.Equal((s_silo, "silo", SiloStatus.Active), (Read().Row!.SiloAddress, Read().Row!.SiloName, Read().Row!.Status));

        // The others are in the table again by then.
        await _clock.AdvanceUntilAsync(() => Read().Version > Known, s_long);
        Assert.Equal(Known + 1, Read().Version);
    }

    [Fact]
    public async Task A_silo_that_is_joining_in_a_restored_table_becomes_active_again()
    {
        await LoseAsync(() => _row!.Status = SiloStatus.Joining);

        await Eventually.IsTrueAsync(() => Read().Row!.Status == SiloStatus.Active);
    }

    [Fact]
    public async Task A_failed_table_access_is_retried()
    {
        await LoseAsync(() => (_row, _failures) = (null, 2));

        await _clock.AdvanceUntilAsync(() => Read().Row is not null, s_long);
        Assert.Equal(0, _failures);
    }

    [Fact]
    public async Task A_silo_that_others_declared_dead_is_not_restored()
    {
        await LoseAsync(() => _row!.Status = SiloStatus.Dead);

        await _clock.AdvanceUntilAsync(() => Volatile.Read(ref _reads) == 2, s_long);
        Assert.Equal((Known, SiloStatus.Dead), (Read().Version, Read().Row!.Status));
    }

    public async ValueTask DisposeAsync()
    {
        await _table.StopAsync(CancellationToken.None);
        _table.Dispose();
        await _cluster.DisposeAsync();
        await _services.DisposeAsync();
    }

    private async Task LoseAsync(Action change)
    {
        await _cluster.StartAsync();
        await Eventually.IsTrueAsync(() => _cluster.Map.Version > 0);
        await _table.StartAsync(CancellationToken.None);
        MemoryStoreSnapshot backup = _memory.Save();
        change();
        _memory.GoBack(backup);
    }

    private (MembershipEntry? Row, int Version) Read()
    {
        lock (_gate)
        {
            return (_row, _version);
        }
    }

    private object Table(string method, object?[] arguments)
    {
        lock (_gate)
        {
            if (_failures > 0)
            {
                _failures--;
                throw new TimeoutException("The table does not answer.");
            }

            TableVersion version = new(_version, $"{_version}");
            switch (method)
            {
                case nameof(IMembershipTable.ReadAllAsync):
                    _reads++;
                    return Task.FromResult(_row is null
                        ? new MembershipTableData(version)
                        : new MembershipTableData(new Tuple<MembershipEntry, string>(_row, "row"), version));

                case nameof(IMembershipTable.InsertRowAsync):
                case nameof(IMembershipTable.UpdateRowAsync):
                    TableVersion next = (TableVersion)arguments[^2]!;
                    Assert.Equal((_version + 1, $"{_version}"), (next.Version, next.VersionEtag));
                    _row = (MembershipEntry)arguments[0]!;
                    _version++;
                    return Task.FromResult(true);

                default:
                    throw new NotSupportedException(method);
            }
        }
    }
}
