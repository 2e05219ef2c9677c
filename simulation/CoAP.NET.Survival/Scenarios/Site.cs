using System.Globalization;
using ClusterSample;
using CoAP.NET.Cluster;
using CoAP.NET.Survival.Balancing;
using CoAP.NET.Survival.Devices;
using CoAP.NET.Survival.Nodes;
using Npgsql;

namespace CoAP.NET.Survival.Scenarios;

/// <summary>Nodes with their store, a balancer in front of them, and devices: all of it processes, except for the balancer.</summary>
internal sealed class Site : IAsyncDisposable
{
    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan s_written = TimeSpan.FromSeconds(3);
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(5);

    // Longer than a notification is repeated.
    private static readonly TimeSpan s_patienceOfObservers = TimeSpan.FromMinutes(2);

    private readonly Sizes _sizes;
    private readonly string _folder = Directory.CreateTempSubdirectory("coap-survival-").FullName;
    private readonly string _secret = Convert.ToHexString(CoapSealedClusterStore.NewSecret());
    private readonly PostgreSqlProcess? _database;
    private readonly UdpBalancer _balancer;
    private readonly HealthChecks _checks;
    private readonly List<NodeProcess> _gone = [];
    private readonly List<DevicesProcess> _devices = [];
    private (TimeSpan Cpu, long Answered) _before;
    private int _made;
    private int _phase;

    private Site(Sizes sizes, PostgreSqlProcess? database, BalancerOptions balancing)
    {
        _sizes = sizes;
        _database = database;
        _balancer = new UdpBalancer(balancing, CoapRandomSource.Secure);
        _checks = new HealthChecks(_balancer, TimeSpan.Zero);
    }

    /// <summary>The nodes that are there.</summary>
    public List<NodeProcess> Nodes { get; } = [];

    /// <summary>The processor time of all nodes, those that are gone included.</summary>
    public TimeSpan NodesCpu => Nodes.Concat(_gone).Aggregate(TimeSpan.Zero, static (sum, node) => sum + node.Cpu);

    /// <summary>The processor time of all devices.</summary>
    public TimeSpan DevicesCpu => _devices.Aggregate(TimeSpan.Zero, static (sum, process) => sum + process.Cpu);

    /// <summary>What the balancer read since the devices have their sessions.</summary>
    public BalancerFigures Wire => _balancer.Read();

    /// <summary>Has the balancer bring every second device to a node that has not its session, or to its own again.</summary>
    /// <param name="isAstray">Whether it does.</param>
    public void Lead(bool isAstray) => _balancer.IsAstray = isAstray;

    /// <summary>Unsafe requests that ran more than once.</summary>
    public int CountTwice() => RunLog.CountTwice(_folder);

    /// <summary>How many unsafe requests a node has run.</summary>
    /// <param name="node">The node.</param>
    public int CountRun(NodeProcess node) => RunLog.Count(FileOf(node.Name));

    /// <summary>Unsafe requests that a node ran from some moment on, and other nodes ran too.</summary>
    /// <param name="node">The node.</param>
    /// <param name="before">What <see cref="CountRun"/> gave at that moment.</param>
    public int CountRunAgain(NodeProcess node, int before) => RunLog.CountAgain(FileOf(node.Name), before);

    /// <summary>Makes one without nodes.</summary>
    /// <param name="sizes">How large it is.</param>
    /// <param name="hasDatabase">Whether nodes share a PostgreSQL; otherwise they have a file, one at a time.</param>
    /// <param name="balancing">How the balancer chooses; null for as <see cref="Sizes.Balancer"/> says.</param>
    public static async Task<Site> OpenAsync(Sizes sizes, bool hasDatabase, BalancerOptions? balancing = null) => new(
        sizes,
        hasDatabase ? await PostgreSqlProcess.StartAsync(isDurable: !sizes.IsSelfCheck) : null,
        balancing ?? BalancerOptions.Parse(sizes.Balancer, sizes.Times.Pause));

    /// <summary>Starts a node.</summary>
    public async Task<NodeProcess> AddNodeAsync()
    {
        string name = string.Create(CultureInfo.InvariantCulture, $"{(char)('A' + (_made % 26))}{_made++ / 26}");
        string store = _database is null
            ? NodeStore.Sqlite(Path.Combine(_folder, "coap.db"))
            : NodeStore.PostgreSql(_database.ConnectionString);
        NodeProcess node = await NodeProcess.StartAsync(name, [
            "--store", store, "--secret", _secret, "--ran", FileOf(name),
            "--lease", _sizes.Lease.ToString(CultureInfo.InvariantCulture), .. _database is null ? (string[])[] : [_sizes.IsOnOrleans ? Node.Orleans : Node.Links],
            .. _sizes.IsVerbose ? (string[])[Node.Verbose] : []]);
        Nodes.Add(node);
        _checks.Add(node);
        return node;
    }

    /// <summary>Starts several nodes and waits until each has its share of the slots.</summary>
    public async Task AddNodesAsync(int count)
    {
        for (int i = 0; i < count; i++)
        {
            await AddNodeAsync();
        }

        await UntilReadyAsync();
        int share = CoapSlot.Count / count;
        long begin = TimeProvider.System.GetTimestamp();
        while (!(await SlotsAsync()).All(slots => slots >= share))
        {
            ThrowIfTooLong(begin, "The nodes did not share the slots.");
            await PauseAsync();
        }
    }

    /// <summary>Waits until all nodes that there are say that they serve.</summary>
    public Task UntilReadyAsync() => _checks.UntilReadyAsync(Nodes.Count);

    /// <summary>Has devices make their sessions and ask, and begins to read the wire.</summary>
    public async Task OpenDevicesAsync()
    {
        int first = 0;
        foreach (int count in _sizes.Processes())
        {
            _devices.Add(await DevicesProcess.StartAsync(_balancer.Address, first, count, _sizes.Times));
            first += count;
        }

        _balancer.Begin();
        foreach (DevicesProcess process in _devices)
        {
            await process.RunAsync();
        }
    }

    /// <summary>Waits until the devices have asked for some time, and all sessions are in the store.</summary>
    public async Task UntilUnderWayAsync()
    {
        await UntilKeptAsync();
        long wanted = await AnsweredAsync() + (2L * _sizes.Devices);
        while (await AnsweredAsync() < wanted)
        {
            await PauseAsync();
        }
    }

    /// <summary>Has the state change at all nodes, and waits for all who observe it.</summary>
    /// <returns>How many have not heard of it after all that time.</returns>
    public async Task<int> ChangeAsync()
    {
        _phase++;
        await Task.WhenAll(Nodes.Select(node => node.ChangeAsync(_phase)));
        long begin = TimeProvider.System.GetTimestamp();
        int unheard;
        while ((unheard = (await Task.WhenAll(_devices.Select(process => process.UnheardAsync(_phase)))).Sum()) > 0
            && TimeProvider.System.GetElapsedTime(begin) < s_patienceOfObservers)
        {
            await PauseAsync();
        }

        return unheard;
    }

    /// <summary>Measures the processor time of all nodes for a request, in microseconds, after half that time has passed.</summary>
    /// <param name="time">For how long.</param>
    /// <returns>The time, and how many datagrams were relayed for each request, there or back.</returns>
    public async Task<(double Cost, double Relays)> CostOfRequestAsync(TimeSpan time)
    {
        await Task.Delay(time / 2, TimeProvider.System, CancellationToken.None);
        (TimeSpan cpu, long answered, long relays) = (NodesCpu, await AnsweredAsync(), await RelaysAsync());
        await Task.Delay(time, TimeProvider.System, CancellationToken.None);
        TimeSpan used = NodesCpu - cpu;
        double requests = Math.Max(1, await AnsweredAsync() - answered);
        return (used.TotalMicroseconds / requests, (await RelaysAsync() - relays) / requests);
    }

    /// <summary>Has devices look how long they wait from now on.</summary>
    /// <param name="node">The node whose devices are told apart; null for none.</param>
    public async Task LookAsync(NodeProcess? node)
    {
        await Task.WhenAll(_devices.Select(process => process.LookAsync(node?.Name ?? "nobody")));
        _before = (DevicesCpu, await AnsweredAsync());
    }

    /// <summary>The processor time of devices since <see cref="LookAsync"/>.</summary>
    /// <returns>All of it, and that of a request, in microseconds.</returns>
    public async Task<(TimeSpan Cpu, double OfRequest)> CostOfDevicesAsync()
    {
        TimeSpan cpu = DevicesCpu - _before.Cpu;
        return (cpu, cpu.TotalMicroseconds / Math.Max(1, await AnsweredAsync() - _before.Answered));
    }

    /// <summary>Waits until every device has an answer to a request that it made after now.</summary>
    /// <exception cref="TimeoutException">Some had none after five minutes.</exception>
    public async Task UntilAllAreBackAsync()
    {
        await Task.WhenAll(_devices.Select(static process => process.CountAsync()));
        long begin = TimeProvider.System.GetTimestamp();
        int back;
        while ((back = (await Task.WhenAll(_devices.Select(static process => process.BackAsync()))).Sum()) < _sizes.Devices)
        {
            ThrowIfTooLong(begin, $"Of {_sizes.Devices} devices {back} have an answer.");
            await PauseAsync();
        }
    }

    /// <summary>Has devices stop, and takes what they counted.</summary>
    public async Task<DeviceFigures> EndAsync() =>
        DeviceFigures.Sum(await Task.WhenAll(_devices.Select(static process => process.EndAsync())));

    /// <summary>Takes a node out of the site; it is not checked any more.</summary>
    public async Task RemoveAsync(NodeProcess node)
    {
        Nodes.Remove(node);
        _gone.Add(node);
        await _checks.RemoveAsync(node);
    }

    public async ValueTask DisposeAsync()
    {
        foreach (DevicesProcess process in _devices)
        {
            process.Dispose();
        }

        await _checks.DisposeAsync();
        foreach (NodeProcess node in Nodes.Concat(_gone))
        {
            node.Dispose();
        }

        _balancer.Dispose();
        if (_database is not null)
        {
            await _database.DisposeAsync();
        }

        Directory.Delete(_folder, recursive: true);
    }

    private string FileOf(string node) => Path.Combine(_folder, node + ".ran");

    // What was made in the last moment before a crash is in no store yet, and its device makes a new handshake. That is not what is tried.
    private async Task UntilKeptAsync()
    {
        if (_database is null)
        {
            // Nobody else may look into the file.
            await Task.Delay(s_written, TimeProvider.System, CancellationToken.None);
            return;
        }

        long begin = TimeProvider.System.GetTimestamp();
        await using NpgsqlConnection connection = await _database.OpenAsync();
        await using NpgsqlCommand command =
            new($"select count(*) from coap_cluster.records where kind = {(int)CoapRecordKind.Session}", connection);
        while ((long)(await command.ExecuteScalarAsync())! < _sizes.Devices)
        {
            ThrowIfTooLong(begin, "The sessions of the devices are not in the store.");
            await PauseAsync();
        }
    }

    private static void ThrowIfTooLong(long begin, string what)
    {
        if (TimeProvider.System.GetElapsedTime(begin) > s_patience)
        {
            throw new TimeoutException(what);
        }
    }

    private static Task PauseAsync() => Task.Delay(s_pause, TimeProvider.System, CancellationToken.None);

    private async Task<int[]> SlotsAsync() => await Task.WhenAll(Nodes.Select(static async node => (await node.AskAsync()).Slots));

    private async Task<long> RelaysAsync() =>
        (await Task.WhenAll(Nodes.Select(static node => node.AskAsync()))).Sum(static one => one.Relays);

    private async Task<long> AnsweredAsync() => (await Task.WhenAll(_devices.Select(static process => process.AnsweredAsync()))).Sum();
}
