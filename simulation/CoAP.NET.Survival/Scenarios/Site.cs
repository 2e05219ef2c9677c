using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Stores;

namespace CoAP.NET.Survival.Scenarios;

/// <summary>Nodes with their store, a balancer in front of them, and devices: all of it processes, except for the balancer.</summary>
internal sealed class Site : IAsyncDisposable
{
    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan s_written = TimeSpan.FromSeconds(3);
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(5);
    private static readonly TimeSpan s_agreement = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan s_start = TimeSpan.FromMinutes(1);

    // Longer than a notification is repeated.
    private static readonly TimeSpan s_patienceOfObservers = TimeSpan.FromMinutes(2);

    private readonly string _folder;
    private readonly string _secret = Convert.ToHexString(CoapSealedClusterStore.NewSecret());
    private readonly UdpBalancer _balancer = new(CoapRandomSource.Secure);
    private readonly HealthChecks _checks;
    private readonly List<NodeProcess> _gone = [];
    private readonly List<DevicesProcess> _devices = [];
    private Sizes _sizes;
    private (Guid Node, long Fence)[] _slots = [];
    private (TimeSpan Cpu, long Answered) _before;
    private long _keptBefore;
    private int _made;
    private int _opened;
    private int _phase;

    private Site(Sizes sizes, SiteLayout layout, SiteStore store, string folder)
    {
        _sizes = sizes;
        _folder = folder;
        _checks = new HealthChecks(_balancer);
        Layout = layout;
        Store = store;
    }

    /// <summary>What it consists of.</summary>
    public SiteLayout Layout { get; }

    /// <summary>Where its nodes keep their state.</summary>
    public SiteStore Store { get; }

    /// <summary>Whether its nodes share servers of PostgreSQL.</summary>
    public bool HasServers => Store.HasServers;

    /// <summary>The nodes that are there.</summary>
    public List<NodeProcess> Nodes { get; } = [];

    /// <summary>The node that something happens to: an active one, and not the first of several.</summary>
    public NodeProcess Victim => Nodes.Where(_checks.IsReady).Take(2).Last();

    /// <summary>The messages under OSCORE that nodes sent.</summary>
    public ProtectedMessages Protected { get; } = new();

    /// <summary>The processor time of all nodes, those that are gone included.</summary>
    public TimeSpan NodesCpu => Nodes.Concat(_gone).Aggregate(TimeSpan.Zero, (sum, node) => sum + node.Cpu);

    /// <summary>The processor time of all devices.</summary>
    public TimeSpan DevicesCpu => _devices.Aggregate(TimeSpan.Zero, (sum, process) => sum + process.Figures.Cpu);

    /// <summary>What the balancer read since <see cref="Begin"/>.</summary>
    public BalancerFigures Wire => _balancer.Read();

    /// <summary>Has the balancer bring every second device to a node that has not its session, or to its own again.</summary>
    /// <param name="isAstray">Whether it does.</param>
    public void Lead(bool isAstray) => _balancer.IsAstray = isAstray;

    /// <summary>Has the balancer count handshakes from now on.</summary>
    public void Begin() => _balancer.Begin();

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
    /// <param name="layout">What it consists of.</param>
    public static async Task<Site> OpenAsync(Sizes sizes, SiteLayout layout)
    {
        string folder = Directory.CreateTempSubdirectory("coap-survival-").FullName;
        return new Site(sizes, layout, await SiteStore.OpenAsync(layout.Store, folder, isDurable: !sizes.IsSelfCheck), folder);
    }

    /// <summary>Starts a node.</summary>
    public async Task<NodeProcess> AddNodeAsync()
    {
        string name = NextName();
        NodeProcess node = await NodeProcess.StartAsync(name, ArgumentsOf(name, account: null, _secret));
        Nodes.Add(node);
        _checks.Add(node);
        return node;
    }

    /// <summary>Starts several nodes and waits until each active one has its share of the slots.</summary>
    public async Task AddNodesAsync(int count)
    {
        string[] names = [.. Enumerable.Range(0, Math.Max(0, count)).Select(_ => NextName())];
        foreach (NodeProcess node in await Task.WhenAll(
            names.Select(name => NodeProcess.StartAsync(name, ArgumentsOf(name, account: null, _secret)))))
        {
            Nodes.Add(node);
            _checks.Add(node);
        }

        await UntilReadyAsync();
        int share = CoapSlot.Count / Layout.Active;
        await UntilAsync(async () => (await FiguresAsync()).Count(one => one.Slots >= share) == Layout.Active,
            "The nodes did not share the slots.");
    }

    /// <summary>Starts a node that must never serve, watches it for a while, and kills it.</summary>
    /// <param name="time">How long it is watched after its start.</param>
    /// <param name="account">The name and the password that it connects with; null for the right ones.</param>
    /// <param name="secret">Its secret; null for the right one.</param>
    /// <returns>Whether it was ready in this time, and how many slots it had at the end.</returns>
    public async Task<(bool WasReady, int Slots)> TryWrongNodeAsync(TimeSpan time, string? account = null, string? secret = null)
    {
        string name = NextName();
        if (await NodeProcess.TryStartAsync(name, ArgumentsOf(name, account, secret ?? _secret), s_start) is not { } node)
        {
            return (false, 0);
        }

        _checks.Add(node);
        bool wasReady = false;
        Watch begin = new();
        while (begin.Elapsed < time && !node.HasEnded)
        {
            await PauseAsync();
            wasReady |= _checks.IsReady(node);
        }

        int slots = node.HasEnded ? 0 : (await node.AskAsync()).Slots;
        await KillAsync(node);
        return (wasReady, slots);
    }

    /// <summary>Has each node send messages under OSCORE, until each context was used.</summary>
    /// <exception cref="TimeoutException">Some contexts cannot be used anywhere.</exception>
    public Task SendProtectedAsync() => UntilAsync(
        async () => (await Task.WhenAll(Nodes.Select(node => node.SendProtectedAsync(Protected.Port)))).Sum() >= ProtectedSender.Contexts,
        "Some OSCORE contexts cannot be used at any node.");

    /// <summary>Waits until all nodes that can be active say that they serve.</summary>
    public Task UntilReadyAsync() => _checks.UntilReadyAsync(Layout.HasSilos ? Nodes.Count : 1);

    /// <summary>Has devices make their sessions and ask, and begins to read the wire.</summary>
    /// <param name="sizes">How many devices, and what the balancer is like.</param>
    public async Task OpenDevicesAsync(Sizes sizes)
    {
        _sizes = sizes;
        _balancer.Options = BalancerOptions.Parse(sizes.Balancer, sizes.Times.Pause);
        _keptBefore = await CountKeptAsync();
        foreach (int count in _sizes.Processes())
        {
            _devices.Add(await DevicesProcess.StartAsync(_balancer.Address, _opened, count, _sizes.Times));
            _opened += count;
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
        await UntilAsync(async () => await AnsweredAsync() >= wanted, "The devices get no answers.");
    }

    /// <summary>Has the state change at all nodes, and waits for all who observe it.</summary>
    /// <returns>How many have not heard of it after all that time.</returns>
    public async Task<int> ChangeAsync()
    {
        _phase++;
        await Task.WhenAll(Nodes.Select(node => node.ChangeAsync(_phase)));
        Watch begin = new();
        int unheard;
        while ((unheard = (await Task.WhenAll(_devices.Select(process => process.UnheardAsync(_phase)))).Sum()) > 0
            && begin.Elapsed < s_patienceOfObservers)
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
        _slots = HasServers ? await Store.SlotsAsync() : [];
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
        await Task.WhenAll(_devices.Select(process => process.CountAsync()));
        await UntilAsync(
            async () => (await Task.WhenAll(_devices.Select(process => process.BackAsync()))).Sum() >= _sizes.Devices,
            "Some devices get no answer.");
    }

    /// <summary>How many slots have another owner than in <see cref="LookAsync"/>, or had one meanwhile.</summary>
    public async Task<int> CountMovedAsync() => (await Store.SlotsAsync()).Zip(_slots).Count(pair => pair.First != pair.Second);

    /// <summary>Waits until each node has the slots that the store says, and each slot has a node.</summary>
    /// <returns>What is different after some time; null if nothing is.</returns>
    public async Task<string?> FindDisagreementAsync()
    {
        string text = "";
        try
        {
            await UntilAsync(
                async () =>
                {
                    (Guid Node, long Fence)[] slots = await Store.SlotsAsync();
                    Dictionary<Guid, int> stored = slots.CountBy(slot => slot.Node).ToDictionary();
                    NodeFigures[] nodes = await FiguresAsync();
                    text = $"nodes {Text(nodes.Select(node => (node.Id, node.Slots)))}; store "
                        + Text(stored.Select(pair => (pair.Key, pair.Value)));
                    return nodes.Sum(node => node.Slots) == CoapSlot.Count
                        && nodes.All(node => node.Slots == stored.GetValueOrDefault(node.Id));
                },
                "", s_agreement);
            return null;
        }
        catch (TimeoutException)
        {
            return text;
        }

        static string Text(IEnumerable<(Guid Node, int Slots)> all) =>
            string.Join(", ", all.OrderBy(one => one.Node).Select(one => $"{one.Node}: {one.Slots}"));
    }

    /// <summary>Has devices end, and takes what they counted.</summary>
    public async Task<DeviceFigures> EndAsync()
    {
        DeviceFigures figures = DeviceFigures.Sum(await Task.WhenAll(_devices.Select(process => process.EndAsync())));
        _devices.ForEach(process => process.Dispose());
        _devices.Clear();
        _balancer.EndClients();
        return figures;
    }

    /// <summary>Ends a node as <c>kill -9</c> does.</summary>
    public Task KillAsync(NodeProcess node)
    {
        node.KillNow();
        return RemoveAsync(node);
    }

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
        await Protected.DisposeAsync();
        await Store.DisposeAsync();
        Directory.Delete(_folder, recursive: true);
    }

    private string NextName() => $"{(char)('A' + (_made % 26))}{_made++ / 26}";

    private string[] ArgumentsOf(string name, string? account, string secret) =>
    [
        "--store", Store.PlaceOf(name, account), "--secret", secret, "--ran", FileOf(name),
        "--lease", _sizes.Lease.ToString(),
        .. Layout.HasSilos ? (string[])[Node.Silo] : [],
        .. Layout.Store == StoreKind.Synchronous ? (string[])[Node.KeepsWrites] : [],
        .. _sizes.IsVerbose ? (string[])[Node.Verbose] : [],
    ];

    private string FileOf(string node) => Path.Combine(_folder, node + ".ran");

    private async Task<long> CountKeptAsync() => HasServers
        ? await Store.ReadAsync<long>($"select count(*) from coap_cluster.records where kind = {(int)CoapRecordKind.Session} "
            + "and fence > (select stale from coap_cluster.map)")
        : 0;

    // What was made in the last moment before a crash is in no store yet, and its device makes a new handshake. That is not what is tried.
    // Nobody else may look into a file.
    private Task UntilKeptAsync() => HasServers
        ? UntilAsync(
            async () => await CountKeptAsync() >= _keptBefore + _sizes.Devices, "The sessions of the devices are not in the store.")
        : Task.Delay(s_written, TimeProvider.System, CancellationToken.None);

    private static async Task UntilAsync(Func<Task<bool>> holds, string otherwise, TimeSpan? patience = null)
    {
        Watch begin = new();
        while (!await holds())
        {
            if (begin.Elapsed > (patience ?? s_patience))
            {
                throw new TimeoutException(otherwise);
            }

            await PauseAsync();
        }
    }

    private static Task PauseAsync() => Task.Delay(s_pause, TimeProvider.System, CancellationToken.None);

    private Task<NodeFigures[]> FiguresAsync() => Task.WhenAll(Nodes.Select(node => node.AskAsync()));

    private async Task<long> RelaysAsync() => (await FiguresAsync()).Sum(one => one.Relays);

    private async Task<long> AnsweredAsync() => (await Task.WhenAll(_devices.Select(process => process.AnsweredAsync()))).Sum();
}
