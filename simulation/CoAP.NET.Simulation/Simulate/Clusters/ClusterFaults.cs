using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Stores;
using CoAP.NET.Testing.Network;

namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>Faults of the store, of clocks, and of the network between nodes, each of which ends by itself.</summary>
/// <param name="world">The world.</param>
internal sealed class ClusterFaults(ClusterWorld world)
{
    private const int SlowDelay = 1500;
    private const int LateNews = 5000;
    private const int LatePercent = 30;
    private const int DoubledPercent = 20;
    private const int MaxLate = 300;
    private static readonly TimeSpan s_promotion = TimeSpan.FromSeconds(2);

    // docs/cluster.md promises nothing for clocks that are further apart.
    private static readonly TimeSpan s_clockDifference = TimeSpan.FromMinutes(1);

    private readonly Dice _dice = new(world.Plan.Seed ^ 0xfa17);

    /// <summary>Whether nodes hear each other as usual, but datagrams and calls are doubled and overtake each other.</summary>
    public bool IsDisturbed => world.Hub.Disturbs is not null;

    public void CutStore(SimulatedClusterNode node, TimeSpan time)
    {
        Begin($"{node} does not reach the store", time);
        node.Store.IsCut = true;
        world.Later(time, () =>
        {
            node.Store.IsCut = false;
            node.InDoubtUntil = world.Clock.Elapsed + ClusterWorld.Doubt;
        });
    }

    public void TakeStoreAway(TimeSpan time) => DisturbStore("the store is away", time, on => world.StoreFaults.IsAway = on);

    public void LoseAnswers(TimeSpan time) =>
        DisturbStore("answers of the store are lost", time, on => world.StoreFaults.LosesAnswers = on);

    public void SlowStore(TimeSpan time) =>
        DisturbStore("the store is slow", time, on => world.StoreFaults.Delay = on ? SlowDelay : world.Plan.StoreDelay);

    public void RefuseWrites(CoapClusterStoreFault fault, TimeSpan time) =>
        DisturbStore($"the store writes nothing ({fault})", time, on => world.StoreFaults.Refuses = on ? fault : null);

    public void TearBatches(TimeSpan time) =>
        DisturbStore("the store applies batches in part", time, on => world.StoreFaults.Tears = on);

    public void DelayNews(TimeSpan time) =>
        DisturbStore("news of the map is late", time, on => world.StoreFaults.NewsDelay = on ? LateNews : 0);

    /// <summary>The store applies each batch twice, which nobody may notice.</summary>
    public void DoubleWrites(TimeSpan time)
    {
        world.Journal.Note($"the store applies each batch twice for {time.TotalSeconds:F1} s");
        world.StoreFaults.Doubles = true;
        world.Later(time, () => world.StoreFaults.Doubles = false);
    }

    /// <summary>A replica takes over from the store.</summary>
    /// <param name="behind">It lacks the writes of this time.</param>
    public void Promote(TimeSpan behind)
    {
        TakeStoreAway(s_promotion);
        world.Later(s_promotion, () => world.GoBack(null, behind));
    }

    /// <summary>
    /// The clock of a node jumps. If it is then apart from the others by more than they promise to bear, observers may notice.
    /// </summary>
    public void JumpClock(SimulatedClusterNode node, TimeSpan by)
    {
        world.Journal.Note($"the clock of {node} jumps by {by.TotalSeconds:F1} s");
        node.Time.Jump(by);
        world.HasClockJumped = true;
        world.AreClocksApart |= by.Duration() > s_clockDifference;
    }

    /// <summary>Two nodes do not hear each other.</summary>
    public void CutLink(SimulatedClusterNode one, SimulatedClusterNode other, TimeSpan time)
    {
        Begin($"{one} and {other} do not hear each other", time);
        world.Hub.Cut(one.Cluster.Self.Id, other.Cluster.Self.Id);
        CountAsDead(one, time);
        world.Later(time, () => world.Hub.Mend(one.Cluster.Self.Id, other.Cluster.Self.Id));
    }

    /// <summary>A node does not hear another one. Of three nodes none counts as dead, because only one would say so.</summary>
    public void CutOneWay(SimulatedClusterNode from, SimulatedClusterNode to, TimeSpan time)
    {
        Begin($"{to} does not hear {from}", time);
        world.Hub.CutOneWay(from.Cluster.Self.Id, to.Cluster.Self.Id);
        if (world.Nodes.Count() == 2)
        {
            CountAsDead(from, time);
        }

        world.Later(time, () => world.Hub.Mend(from.Cluster.Self.Id, to.Cluster.Self.Id));
    }

    /// <summary>A node hears no other one.</summary>
    public void Deafen(SimulatedClusterNode node, TimeSpan time)
    {
        Begin($"{node} hears no other node", time);
        SimulatedClusterNode[] others = [.. world.Nodes.Where(other => other != node)];
        Array.ForEach(others, other => world.Hub.CutOneWay(other.Cluster.Self.Id, node.Cluster.Self.Id));
        CountAsDead(node, time);
        world.Later(time, () => Array.ForEach(others, other => world.Hub.Mend(other.Cluster.Self.Id, node.Cluster.Self.Id)));
    }

    /// <summary>Calls and datagrams between nodes are doubled and overtake each other.</summary>
    public void Disturb(TimeSpan time)
    {
        Begin("calls between nodes are doubled and overtake each other", time);
        world.Hub.Disturbs = () => (Late(), _dice.Chance(DoubledPercent));
        world.Later(time, () => world.Hub.Disturbs = null);
    }

    /// <summary>What happens to a datagram from one node to another.</summary>
    public NetworkVerdict OnDatagram(CoapNodeId from, CoapNodeId to) =>
        world.Hub.IsCut(from, to) ? NetworkVerdict.Drop
        : !IsDisturbed ? NetworkVerdict.Pass
        : _dice.Chance(DoubledPercent) ? NetworkVerdict.Duplicate()
        : NetworkVerdict.Delay(Late());

    private TimeSpan Late() => _dice.Chance(LatePercent) ? TimeSpan.FromMilliseconds(_dice.Between(1, MaxLate)) : TimeSpan.Zero;

    // It runs and reaches the store, and others take its slots.
    private void CountAsDead(SimulatedClusterNode node, TimeSpan time)
    {
        if (time > ClusterWorld.Missed)
        {
            node.InDoubtUntil = world.Clock.Elapsed + time + ClusterWorld.Doubt;
            world.Later(ClusterWorld.Missed, () => world.Hub.Kill(node.Cluster.Self.Id));
            world.Later(time + TimeSpan.FromMilliseconds(1), () => world.Revive(node));
        }
    }

    private void DisturbStore(string what, TimeSpan time, Action<bool> set)
    {
        Begin(what, time);
        set(true);
        world.DoubtAll(time);
        world.Later(time, () =>
        {
            set(false);
            world.DoubtAll(TimeSpan.Zero);
        });
    }

    private void Begin(string what, TimeSpan time)
    {
        world.Journal.Note($"{what} for {time.TotalSeconds:F1} s");
        world.Trouble(time + ClusterWorld.TakeOver);
    }
}
