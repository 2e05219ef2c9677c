using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Observing;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Stores;
using CoAP.NET.Cluster.Tests.Nodes;
using CoAP.NET.Dtls;

namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>Nodes over one store, devices, a balancer between them, and what happens to all of them.</summary>
internal sealed class ClusterWorld
{
    /// <summary>The time within which other nodes miss one that does not answer.</summary>
    public static readonly TimeSpan Missed = TimeSpan.FromSeconds(3);

    /// <summary>How long after a fault a node may not know yet that it has lost its slots.</summary>
    public static readonly TimeSpan Doubt = TimeSpan.FromSeconds(10);

    /// <summary>How long after a fault devices may be held up: a lease, a balancer that is late, and a store that is slow.</summary>
    public static readonly TimeSpan TakeOver = TimeSpan.FromSeconds(12);

    /// <summary>For how long what is observed is fresh: then an observer registers again by itself.</summary>
    public static readonly TimeSpan MaxAge = TimeSpan.FromMinutes(4);

    /// <summary>How many different resources can be observed.</summary>
    public const int Resources = 3;

    private static readonly TimeSpan s_noticed = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_noticedLate = TimeSpan.FromSeconds(8);

    // Within which the other nodes miss one whose process has ended.
    private static readonly TimeSpan s_reset = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_takenOver = TimeSpan.FromSeconds(8);

    // How long a supervisor waits for a suspended process, and two processes with one address run.
    private static readonly TimeSpan s_replaced = TimeSpan.FromSeconds(4);
    private static readonly TimeSpan s_twins = TimeSpan.FromSeconds(8);

    private readonly SimulatedClusterNode?[] _nodes;

    // Processes whose address another one has.
    private readonly List<SimulatedClusterNode> _twins = [];
    private readonly Dictionary<(SimulatedClusterNode Node, int Resource), int> _stale = [];
    private readonly Dictionary<(CoapSlot Slot, long Fence), CoapNodeId> _owners = [];
    private readonly HashSet<string> _kept = [];
    private readonly List<ITimer> _timers = [];
    private readonly long[] _newest = new long[CoapSlot.Count];
    private readonly ClusterTroubles _troubles = new();
    private readonly SlotHistory _history = new();
    private readonly List<(TimeSpan Time, MemoryStoreSnapshot Backup)> _saved = [];
    private readonly string? _plant;
    private readonly Func<ICoapClusterStore, PlantedStore>? _planted;
    private int _processes;
    private int _told;

    /// <param name="plan">The plan.</param>
    /// <param name="plant">One of <see cref="ClusterPlants"/>; null for none.</param>
    public ClusterWorld(ClusterPlan plan, string? plant)
    {
        Plan = plan;
        _plant = plant;
        _planted = plant is null ? null : ClusterPlants.All[plant].Store?.Invoke(this);
        Journal = new ClusterJournal(Clock);
        Drive = new AloneDrive(Clock);
        Scheduler = new NodeScheduler(Clock);
        Memory = new CoapMemoryCluster(Clock);
        StoreFaults.Delay = plan.StoreDelay;
        Network = new InMemoryNetwork(Clock, new InMemoryNetworkOptions { Seed = plan.Seed, MaxTraceLength = 0 });
        Wire = new ClusterWire(this);
        Network.Filter = Wire.OnPacket;
        Network.Conditions = new NetworkConditions
        {
            MinDelay = TimeSpan.FromMilliseconds(1),
            MaxDelay = TimeSpan.FromMilliseconds(plan.MaxDelay),
        };
        Balancer = new SimulatedBalancer(Network, plan.Balancer, new Dice(plan.Seed ^ 0xba1a));
        Requests = new ClusterRequests(this);
        Outboxes = new ClusterOutboxes(this);
        Faults = new ClusterFaults(this);
        Oscore = new ClusterOscore(this);
        Withdrawals = new ClusterWithdrawals(this);
        _nodes = new SimulatedClusterNode?[plan.Nodes];
        Devices = [.. Enumerable.Range(0, plan.Devices).Select(index => new SimulatedDevice(this, index))];
    }

    public ClusterPlan Plan { get; }

    public VirtualClock Clock { get; } = new();

    public ClusterJournal Journal { get; }

    public AloneDrive Drive { get; }

    /// <summary>The threads of devices.</summary>
    public NodeScheduler Scheduler { get; }

    public CoapMemoryCluster Memory { get; }

    public StoreFaults StoreFaults { get; } = new();

    /// <summary>Connects the nodes.</summary>
    public NodeHub Hub { get; } = new() { Delay = TimeSpan.FromMilliseconds(1) };

    public InMemoryNetwork Network { get; }

    public ClusterWire Wire { get; }

    public SimulatedBalancer Balancer { get; }

    public IReadOnlyList<SimulatedDevice> Devices { get; } = [];

    public ClusterRequests Requests { get; }

    public ClusterOutboxes Outboxes { get; }

    public ClusterFaults Faults { get; }

    public ClusterOscore Oscore { get; }

    public ClusterWithdrawals Withdrawals { get; }

    /// <summary>What clients saw of the counters of devices, and of the states of resources.</summary>
    public CounterHistory History { get; } = new();

    public List<ClusterWatch> Watches { get; } = [];

    /// <summary>The processes that run, at their places.</summary>
    public IEnumerable<SimulatedClusterNode> Nodes => _nodes.OfType<SimulatedClusterNode>();

    /// <summary>All processes that run, also those whose address another one has.</summary>
    public IEnumerable<SimulatedClusterNode> Processes => Nodes.Concat(_twins);

    /// <summary>Whether the clock of a node has jumped.</summary>
    public bool HasClockJumped { get; set; }

    /// <summary>Whether the clocks of nodes were further apart than clusters promise to bear.</summary>
    public bool AreClocksApart { get; set; }

    public SimulatedClusterNode? At(int place) => _nodes[place];

    /// <summary>The process with an address; null for none.</summary>
    public SimulatedClusterNode? NodeOf(CoapAddress address) => Array.Find(_nodes, node => node?.Address == address);

    /// <summary>Whose address it is.</summary>
    public string NodeAt(CoapAddress address) => NodeOf(address)?.ToString() ?? address.ToString();

    /// <summary>How many processes of nodes were started.</summary>
    public int ProcessCount => _processes;

    /// <summary>Whether each slot has one owner, who is there, all nodes say so, and each knows each other one.</summary>
    public bool AreShared()
    {
        SimulatedClusterNode[] nodes = [.. Nodes];
        if (nodes.Length == 0 || !nodes.All(node => node.Doing.IsCompleted && !node.IsLeaving))
        {
            return false;
        }

        CoapClusterSlotMap map = nodes[0].Cluster.Map;
        return nodes.All(node => node.Cluster.Map.Version == map.Version
                && node.Cluster.Map.Nodes.Count == nodes.Length
                && node.Cluster.Peers.Up.Count == nodes.Length - 1
                && node.Cluster.GetNodeCounters().Moving == 0)
            && nodes.All(node => map.SlotsOf(node.Cluster.Self.Id).Count is var slots && slots >= CoapSlot.Count / nodes.Length);
    }

    /// <summary>Who has how many slots, for people.</summary>
    public string Describe() => string.Join("; ", Nodes.Select(node => $"{node}{(node.IsLeaving ? " leaving" : "")}: map "
        + $"{node.Cluster.Map.Version}, {node.Cluster.Map.Nodes.Count} nodes, "
        + $"{node.Cluster.Map.SlotsOf(node.Cluster.Self.Id).Count} slots, "
        + $"{node.Cluster.Peers.Up.Count} others, {node.Cluster.GetNodeCounters().Moving} moving, {node.Doing.Status}"));

    /// <summary>How many observers each node has, for people.</summary>
    public string DescribeObservers() => string.Join("; ", Nodes.Select(node => $"{node}: {node.Server.ObserverCount} observers"));

    /// <summary>How many records of a kind the store has.</summary>
    public int CountRecords(CoapRecordKind kind) => CoapSlot.All.Sum(slot => Memory.Read(kind, slot)
        .Count(record => kind != CoapRecordKind.Observer || ObserverRecord.IsObserver(record.Key.Bytes.Span)));

    /// <inheritdoc cref="SlotHistory.WasLost(SimulatedDevice, TimeSpan)"/>
    public bool WasLost(SimulatedDevice device, TimeSpan since) => _history.WasLost(device, since);

    /// <summary>Whether the store has ever had a session.</summary>
    public bool WasKept(string cid) => _kept.Contains(cid);

    public int StateOf(int resource) => History.ValueOf(NameOf(resource));

    /// <summary>The name of a resource in the history.</summary>
    public static string NameOf(int resource) => $"state/{resource}";

    /// <summary>What a node answers to a request for a resource.</summary>
    public CoapResult StateFor(SimulatedClusterNode node, CoapRequestContext request)
    {
        int resource = int.Parse(request.Route["id"]);
        int state = StateOf(resource);
        if (Has(ClusterPlants.StaleRead) && !_stale.TryAdd((node, resource), state))
        {
            state = _stale[(node, resource)];
        }

        if (Has(ClusterPlants.OldState) && ++_told % 4 == 0)
        {
            state--;
        }

        return CoapResults.Text(state.ToString()).WithMaxAge(MaxAge);
    }

    /// <summary>What is observed changes, and a node is told.</summary>
    public void Change(int resource, SimulatedClusterNode node)
    {
        CounterOperation change = History.Begin("the application", NameOf(resource), isAddition: true, Clock.Elapsed);
        change.End(History.Add(NameOf(resource), Clock.Elapsed), Clock.Elapsed);
        Journal.Note($"state {resource} is {change.Value}, and {node} is notified");
        if (Has(ClusterPlants.NoNotice))
        {
            node.Cluster.Notifications!.Dispose();
        }

        node.Server.Notify($"/state/{resource}");
    }

    /// <summary>Looks at what a node does with the store.</summary>
    public ICoapClusterStore Watch(ICoapClusterStore store) => new WatchedStore(this, _planted?.Invoke(store) ?? store);

    /// <summary>Whether a defect is planted.</summary>
    public bool Has(string plant) => _plant == plant;

    public NodeLogger LogsOf(SimulatedClusterNode node) => new(this, node);

    public void Start(int place)
    {
        if (_nodes[place] is null)
        {
            SimulatedClusterNode node = new(this, place, ++_processes);
            _nodes[place] = node;
            _history.Add(node);
            Journal.Note($"{node} starts{(node.IsOldVersion ? ", of the version before" : "")}");
            node.Start();
            UseNodes();
        }
    }

    public void Kill(SimulatedClusterNode node, bool isMachine)
    {
        Journal.Note($"{node} {(isMachine ? "vanishes" : "dies")}");
        Trouble(TakeOver);
        _nodes[node.Place] = null;
        node.Kill();
        Withdrawals.OnProgress();
        if (Has(ClusterPlants.GoneBack))
        {
            // What the next owners of its slots wrote is lost, and one of them dies.
            (TimeSpan time, MemoryStoreSnapshot backup) = (Clock.Elapsed, Memory.Save());
            Later(s_takenOver, () =>
            {
                SimulatedClusterNode[] awake = [.. Nodes.Where(one => one is { IsLeaving: false, Time.IsStill: false })];
                if (awake.Length > 1)
                {
                    GoBack(awake[0], time, backup);
                }
            });
        }

        if (!Has(ClusterPlants.DeathUnnoticed))
        {
            Later(isMachine ? Missed : s_reset, () => Hub.Kill(node.Cluster.Self.Id));
        }

        Later(Plan.Balancer == BalancerKind.Lag ? s_noticedLate : s_noticed, UseNodes);
    }

    public void Leave(SimulatedClusterNode node)
    {
        Journal.Note($"{node} leaves");
        Trouble(TakeOver);
        node.Leave();
        Later(Plan.Balancer == BalancerKind.Lag ? s_noticedLate : s_noticed, UseNodes);
    }

    /// <summary>A node has handed over and stopped.</summary>
    public void OnLeft(SimulatedClusterNode node)
    {
        if (_nodes[node.Place] == node)
        {
            Journal.Note($"{node} has left");
            _nodes[node.Place] = null;
            UseNodes();
            Withdrawals.OnProgress();
        }
    }

    public void Sleep(SimulatedClusterNode node, TimeSpan time)
    {
        Journal.Note($"{node} is suspended for {time.TotalSeconds:F1} s");
        Trouble(time + TakeOver);
        node.Sleep();
        if (time > Missed)
        {
            Later(Missed, () => Hub.Kill(node.Cluster.Self.Id));
        }

        Later(time, () =>
        {
            Journal.Note($"{node} continues");
            node.Wake();
        });
        Later(time + s_reset, () => Revive(node));
    }

    /// <summary>
    /// A process is suspended, and a supervisor starts another one with its address. When it continues, both run for a while.
    /// </summary>
    public void Twin(SimulatedClusterNode node, TimeSpan time)
    {
        Sleep(node, time);
        Trouble(time + s_twins + TakeOver);
        Later(s_replaced, () =>
        {
            if (node.Time is { IsAsleep: true, IsDead: false } && _nodes[node.Place] == node)
            {
                _twins.Add(node);
                _nodes[node.Place] = null;
                node.BeReplaced();
                Start(node.Place);
                Later(time - s_replaced + s_twins, () => EndTwin(node));
            }
        });
    }

    /// <summary>Saves the store, which may go back to this.</summary>
    public void SaveStore() => _saved.Add((Clock.Elapsed, Memory.Save()));

    /// <summary>The store loses the latest writes.</summary>
    /// <param name="dies">The node that dies then; null for none.</param>
    /// <param name="time">The time of the writes.</param>
    public void GoBack(SimulatedClusterNode? dies, TimeSpan time)
    {
        if (_saved.FindLast(one => one.Time <= Clock.Elapsed - time) is { Backup: { } backup } saved && (dies is null || Nodes.Count() > 1))
        {
            _saved.RemoveAll(one => one.Time > saved.Time);
            GoBack(dies, saved.Time, backup);
        }
    }

    private void GoBack(SimulatedClusterNode? dies, TimeSpan time, MemoryStoreSnapshot backup)
    {
        Journal.Note($"the store goes back to {time.TotalSeconds:F1} s");
        Trouble(TakeOver);
        Memory.GoBack(backup, isNoticed: !Has(ClusterPlants.GoneBack));
        Losses++;
        _kept.Clear();
        Outboxes.OnLost();
        Watches.ForEach(watch => watch.OnUnknown());
        foreach (SimulatedClusterNode one in Processes)
        {
            one.LastFailure = Clock.Elapsed;
        }

        DoubtAll(TimeSpan.Zero);
        if (dies is not null)
        {
            Kill(dies, isMachine: false);
        }
    }

    /// <summary>Whether the store has lost sessions.</summary>
    public bool HasGoneBack => Losses > 0;

    /// <summary>How often the store has lost writes.</summary>
    public int Losses { get; private set; }

    /// <summary>Something goes on that may hold up devices.</summary>
    /// <param name="time">For how long.</param>
    public void Trouble(TimeSpan time)
    {
        _troubles.Add(Clock.Elapsed, Clock.Elapsed + time);
        foreach (ClusterWatch watch in Watches)
        {
            watch.OnTrouble(Clock.Elapsed);
        }
    }

    /// <summary>Whether something goes on that may hold up devices.</summary>
    public bool IsTroubled => _troubles.Has(Clock.Elapsed);

    /// <summary>A device has opened a session in place of another one.</summary>
    public void OnNewSession(SimulatedDevice device)
    {
        Journal.Note($"{device} has a new session in place of {device.ServerCid}");
        if (device is { HasCid: true, ServerCid: { } cid } && !Withdrawals.IsWithdrawn(device)
            && WasKept(cid) && _troubles.HadQuiet(Clock.Elapsed, device.Tries))
        {
            Journal.Violate(ClusterCheck.NoHandshake, $"{device} has lost its session {cid}, which was kept");
        }
    }

    /// <summary>All faults end.</summary>
    public void Heal()
    {
        Wire.IsCalm = true;
        Hub.Mend();
        Hub.Disturbs = null;
        StoreFaults.Clear();
        foreach (SimulatedClusterNode twin in _twins.ToArray())
        {
            EndTwin(twin);
        }

        foreach (SimulatedClusterNode node in Nodes)
        {
            node.Store.IsCut = false;
            node.Wake();
            Revive(node);
        }

        foreach (SimulatedDevice device in Devices)
        {
            device.RadioOffUntil = TimeSpan.Zero;
        }

        DoubtAll(TimeSpan.Zero);
        Network.Conditions = NetworkConditions.Delayed(TimeSpan.FromMilliseconds(5));
    }

    public void UseNodes() => Balancer.Use(Nodes.Where(node => !node.IsLeaving).Select(node => node.Address));

    /// <summary>Looks whether two nodes ever had a slot under one fence, as nodes see it.</summary>
    public void CheckOwners()
    {
        foreach (SimulatedClusterNode node in Processes)
        {
            CheckOwners(node.Cluster.Map, $"{node}");
        }
    }

    /// <summary>Where that is planted, sessions that were loaded after a crash are not in doubt.</summary>
    public void EndDoubts()
    {
        foreach (SimulatedClusterNode node in Has(ClusterPlants.NoDoubt) ? Nodes : [])
        {
            foreach (string cid in Devices.Select(device => device.ServerCid).OfType<string>())
            {
                node.EndDoubt(cid);
            }
        }
    }

    private void CheckOwners(CoapClusterSlotMap map, string seenBy)
    {
        foreach (CoapSlot slot in CoapSlot.All)
        {
            CoapSlotOwner owner = map[slot];
            if (owner.Node.IsSet && !_owners.TryAdd((slot, owner.Fence.Value), owner.Node)
                && _owners[(slot, owner.Fence.Value)] != owner.Node)
            {
                Journal.Violate(ClusterCheck.OneOwner,
                    $"slot {slot.Number} has two owners under fence {owner.Fence.Value}, as {seenBy} sees it");
            }
        }
    }

    /// <summary>A node counts as live again, if it runs.</summary>
    public void Revive(SimulatedClusterNode node)
    {
        if (node.Time is { IsStill: false })
        {
            Hub.Revive(node.Cluster.Self.Id);
        }
    }

    /// <summary>Others may take slots, of which no node hears at once.</summary>
    /// <param name="time">For how long.</param>
    public void DoubtAll(TimeSpan time)
    {
        foreach (SimulatedClusterNode node in Nodes)
        {
            TimeSpan until = Clock.Elapsed + time + Doubt;
            node.InDoubtUntil = until > node.InDoubtUntil ? until : node.InDoubtUntil;
        }
    }

    /// <summary>Does something after a time.</summary>
    public void Later(TimeSpan time, Action act) =>
        _timers.Add(Clock.CreateTimer(act => ((Action)act!)(), act, time, Timeout.InfiniteTimeSpan));

    private void EndTwin(SimulatedClusterNode twin)
    {
        if (_twins.Remove(twin))
        {
            Journal.Note($"{twin} ends");
            Trouble(TakeOver);
            twin.Kill();
            Withdrawals.OnProgress();
            Later(s_reset, () => Hub.Kill(twin.Cluster.Self.Id));
        }
    }

    /// <summary>The map was changed.</summary>
    public void OnChanged(CoapClusterSlotMap map)
    {
        foreach (CoapSlot slot in CoapSlot.All)
        {
            _newest[slot.Number] = Math.Max(_newest[slot.Number], map[slot].Fence.Value);
        }

        _history.OnChanged(map, Clock.Elapsed);
        CheckOwners(map, "the store");
    }

    /// <summary>A record was written.</summary>
    public void OnWritten(CoapRecordWrite change)
    {
        if (change.Fence.Value < _newest[change.Key.Slot.Number])
        {
            Journal.Violate(ClusterCheck.Fences,
                $"{change.Key} was written under fence {change.Fence.Value}, and {_newest[change.Key.Slot.Number]} is the newest");
        }

        if (change.Key.Kind == CoapRecordKind.Session && !change.IsRemoval)
        {
            // The name of the server, which is empty here, stands before the Connection ID.
            _kept.Add(Convert.ToHexString(change.Key.Bytes.Span[1..]));
        }
    }
}
