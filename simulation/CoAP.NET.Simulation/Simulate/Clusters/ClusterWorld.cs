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
    /// <summary>For how long what is observed is fresh: then an observer registers again by itself.</summary>
    public static readonly TimeSpan MaxAge = TimeSpan.FromMinutes(4);

    /// <summary>How many different resources can be observed.</summary>
    public const int Resources = 3;

    private static readonly TimeSpan s_noticed = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_noticedLate = TimeSpan.FromSeconds(8);
    // Within which the other nodes miss one whose process has ended, and one that does not answer any more.
    private static readonly TimeSpan s_reset = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_takenOver = TimeSpan.FromSeconds(8);
    private static readonly TimeSpan s_missed = TimeSpan.FromSeconds(3);
    private static readonly TimeSpan s_doubt = TimeSpan.FromSeconds(10);

    // A lease, a balancer that is late, and a store that is slow.
    private static readonly TimeSpan s_takeOver = TimeSpan.FromSeconds(12);

    private readonly SimulatedClusterNode?[] _nodes;
    private readonly int[] _states = new int[Resources];
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
        _planted = plant is null ? null : ClusterPlants.All[plant].Store?.Invoke();
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

    public CoapPskDictionary Keys { get; } = [];

    public IReadOnlyList<SimulatedDevice> Devices { get; } = [];

    public ClusterRequests Requests { get; }

    public ClusterOutboxes Outboxes { get; }

    public List<ClusterWatch> Watches { get; } = [];

    /// <summary>The processes that run, at their places.</summary>
    public IEnumerable<SimulatedClusterNode> Nodes => _nodes.OfType<SimulatedClusterNode>();

    public SimulatedClusterNode? At(int place) => _nodes[place];

    /// <summary>Whose address it is.</summary>
    public string NodeAt(CoapAddress address) =>
        Nodes.FirstOrDefault(node => node.Address == address)?.ToString() ?? address.ToString();

    /// <summary>How many processes of nodes were started.</summary>
    public int Processes => _processes;

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

    public int StateOf(int resource) => _states[resource];

    /// <summary>What a node answers who asks for what is observed.</summary>
    public CoapResult StateFor(CoapRequestContext request)
    {
        int state = _states[int.Parse(request.Route["id"])];
        if (Has(ClusterPlants.OldState) && ++_told % 4 == 0)
        {
            state--;
        }

        return CoapResults.Text(state.ToString()).WithMaxAge(MaxAge);
    }

    /// <summary>What is observed changes, and a node is told.</summary>
    public void Change(int resource, SimulatedClusterNode node)
    {
        _states[resource]++;
        Journal.Note($"state {resource} is {_states[resource]}, told {node}");
        if (Has(ClusterPlants.NoNotice))
        {
            ((HubPeers)node.Cluster.Peers).Notices.Dispose();
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
            Journal.Note($"{node} starts");
            node.Start();
            UseNodes();
        }
    }

    public void Kill(SimulatedClusterNode node, bool isMachine)
    {
        Journal.Note($"{node} {(isMachine ? "vanishes" : "dies")}");
        Trouble(s_takeOver);
        _nodes[node.Place] = null;
        node.Kill();
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
            Later(isMachine ? s_missed : s_reset, () => Hub.Kill(node.Cluster.Self.Id));
        }

        Later(Plan.Balancer == BalancerKind.Lag ? s_noticedLate : s_noticed, UseNodes);
    }

    public void Leave(SimulatedClusterNode node)
    {
        Journal.Note($"{node} leaves");
        Trouble(s_takeOver);
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
        }
    }

    public void Sleep(SimulatedClusterNode node, TimeSpan time)
    {
        Journal.Note($"{node} stands still for {time.TotalSeconds:F1} s");
        Trouble(time + s_takeOver);
        node.Sleep();
        if (time > s_missed)
        {
            Later(s_missed, () => Hub.Kill(node.Cluster.Self.Id));
        }

        Later(time, () =>
        {
            Journal.Note($"{node} goes on");
            node.Wake();
        });
        Later(time + s_reset, () => Revive(node));
    }

    public void CutStore(SimulatedClusterNode node, TimeSpan time)
    {
        Journal.Note($"{node} does not reach the store for {time.TotalSeconds:F1} s");
        Trouble(time + s_takeOver);
        node.Store.IsCut = true;
        Later(time, () =>
        {
            node.Store.IsCut = false;
            node.InDoubtUntil = Clock.Elapsed + s_doubt;
        });
    }

    public void TakeStoreAway(TimeSpan time)
    {
        Journal.Note($"the store is away for {time.TotalSeconds:F1} s");
        Trouble(time + s_takeOver);
        StoreFaults.IsAway = true;
        Later(time, () =>
        {
            StoreFaults.IsAway = false;
            DoubtAll();
        });
    }

    public void LoseAnswers(TimeSpan time)
    {
        Journal.Note($"answers of the store are lost for {time.TotalSeconds:F1} s");
        Trouble(time + s_takeOver);
        StoreFaults.LosesAnswers = true;
        foreach (SimulatedClusterNode node in Nodes)
        {
            node.InDoubtUntil = Clock.Elapsed + time + s_doubt;
        }

        Later(time, () => StoreFaults.LosesAnswers = false);
    }

    public void CutLink(SimulatedClusterNode one, SimulatedClusterNode other, TimeSpan time)
    {
        Journal.Note($"{one} and {other} are cut off from each other for {time.TotalSeconds:F1} s");
        Trouble(time + s_takeOver);
        Hub.Cut(one.Cluster.Self.Id, other.Cluster.Self.Id);
        if (time > s_missed)
        {
            // One of them counts as dead, though it runs and reaches the store.
            one.InDoubtUntil = Clock.Elapsed + time + s_doubt;
            Later(s_missed, () => Hub.Kill(one.Cluster.Self.Id));
        }

        Later(time, () =>
        {
            Hub.Mend();
            Revive(one);
        });
    }

    /// <summary>Saves the store, which may go back to this.</summary>
    public void SaveStore() => _saved.Add((Clock.Elapsed, Memory.Save()));

    /// <summary>The store loses what was written in a time, and a node dies.</summary>
    public void GoBack(SimulatedClusterNode node, TimeSpan time)
    {
        if (_saved.FindLast(one => one.Time <= Clock.Elapsed - time) is { Backup: { } backup } saved && Nodes.Count() > 1)
        {
            _saved.RemoveAll(one => one.Time > saved.Time);
            GoBack(node, saved.Time, backup);
        }
    }

    private void GoBack(SimulatedClusterNode node, TimeSpan time, MemoryStoreSnapshot backup)
    {
        Journal.Note($"the store goes back to {time.TotalSeconds:F1} s");
        Trouble(s_takeOver);
        Memory.GoBack(backup, isNoticed: !Has(ClusterPlants.GoneBack));
        HasGoneBack = true;
        _kept.Clear();
        Outboxes.OnLost();
        Watches.ForEach(watch => watch.OnUnknown());
        foreach (SimulatedClusterNode one in Nodes)
        {
            one.LastFailure = Clock.Elapsed;
        }

        DoubtAll();
        Kill(node, isMachine: false);
    }

    /// <summary>Whether the store has lost sessions.</summary>
    public bool HasGoneBack { get; private set; }

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
        if (device is { HasCid: true, ServerCid: { } cid } && WasKept(cid) && _troubles.HadQuiet(Clock.Elapsed, device.Tries))
        {
            Journal.Violate(ClusterCheck.NoHandshake, $"{device} has lost its session {cid}, which was kept");
        }
    }

    /// <summary>All faults end.</summary>
    public void Heal()
    {
        Wire.IsCalm = true;
        Hub.Mend();
        (StoreFaults.IsAway, StoreFaults.LosesAnswers, StoreFaults.Delay) = (false, false, 1);
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

        DoubtAll();
        Network.Conditions = NetworkConditions.Delayed(TimeSpan.FromMilliseconds(5));
    }

    public void UseNodes() => Balancer.Use(Nodes.Where(node => !node.IsLeaving).Select(node => node.Address));

    /// <summary>Looks whether two nodes ever had a slot under one fence, as nodes see it.</summary>
    public void CheckOwners()
    {
        foreach (SimulatedClusterNode node in Nodes)
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

    private void Revive(SimulatedClusterNode node)
    {
        if (node.Time is { IsStill: false })
        {
            Hub.Revive(node.Cluster.Self.Id);
        }
    }

    private void DoubtAll()
    {
        foreach (SimulatedClusterNode node in Nodes)
        {
            node.InDoubtUntil = Clock.Elapsed + s_doubt;
        }
    }

    private void Later(TimeSpan time, Action act) =>
        _timers.Add(Clock.CreateTimer(act => ((Action)act!)(), act, time, Timeout.InfiniteTimeSpan));

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
