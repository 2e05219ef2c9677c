using CoAP.NET.Cluster.Dtls;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Nodes;
using CoAP.NET.Cluster.Steering;
using CoAP.NET.Cluster.Stores;

namespace CoAP.NET.Cluster.Tests.Steering;

/// <summary>What a node does with datagrams for slots of others, without servers.</summary>
public sealed class SteeringTests : IAsyncDisposable
{
    private static readonly CoapAddress s_client = CoapAddress.FromIPv4(0xC000_0201, 5684);

    private readonly SharingNodes _nodes = new();

    [Fact]
    public async Task New_sessions_get_slots_of_this_node_evenly_and_no_slot_while_the_node_leaves()
    {
        CoapCluster node = await _nodes.StartAsync(moves => moves.RelayTime = FromMinutes(1));
        CoapCluster other = await _nodes.StartAsync();
        await SharingNodes.FairAsync(_nodes.All);
        ClusterSteering steering = SteeringOf(node);
        steering.Start(null!);

        byte[] given = [.. Enumerable.Range(0, 256).Select(_ => steering.SlotOfNewSession()!.Value)];
        Assert.Equal(node.Map.SlotsOf(node.Self.Id).Select(slot => slot.Number), given.Distinct().Order());
        Assert.All(given.GroupBy(slot => slot), times => Assert.Equal(2, times.Count()));

        Task leaving = node.LeaveAsync();
        await SharingNodes.FairAsync([other]);
        Assert.Null(steering.SlotOfNewSession());

        // Another node serves whoever comes here, until nothing reaches it.
        Assert.True(steering.TryRelay(null, s_client, [22]));
        _nodes.Hub.Kill(other.Self.Id);
        await Eventually.IsTrueAsync(() => !node.Peers.IsUp(other.Self.Id));
        Assert.False(steering.TryRelay(null, s_client, [22]));
        steering.Stop();
        await node.DisposeAsync();
        await leaving;
    }

    [Fact]
    public async Task A_new_session_gets_a_slot_of_the_newest_map_before_its_event_has_arrived()
    {
        CoapCluster node = await _nodes.StartAsync();
        await SharingNodes.FairAsync(_nodes.All);

        // It is not started, so that no event reaches it.
        Assert.NotNull(SteeringOf(node).SlotOfNewSession());
    }

    [Fact]
    public async Task A_node_takes_no_slots_until_its_server_runs()
    {
        CoapCluster other = await _nodes.StartAsync();
        CoapCluster node = _nodes.Make();
        ClusterSteering steering = SteeringOf(node);
        await node.StartAsync();
        await Eventually.IsTrueAsync(() => other.Map.Nodes.Count == 2);
        Assert.Equal([other.Self.Id], SlotPlan.Of(other.Map).Members);

        steering.Start(null!);
        await SharingNodes.FairAsync([node, other]);
        steering.Stop();
    }

    [Fact]
    public void A_node_that_has_not_reached_the_store_yet_accepts_sessions_in_all_slots()
    {
        ClusterSteering steering = SteeringOf(_nodes.Make());

        Assert.Equal(256, Enumerable.Range(0, 256).Select(_ => steering.SlotOfNewSession()).Distinct().Count());
    }

    [Fact]
    public async Task Undeliverable_datagrams_are_held_and_datagrams_relayed_by_the_same_map_are_not_relayed_further()
    {
        CoapCluster node = await _nodes.StartAsync();
        ClusterSteering steering = SteeringOf(node);
        await using CoapSealedClusterStore store = ClusterTests.Open(_nodes.Memory);
        CoapClusterNode other = new(CoapNodeId.New(), "");
        CoapClusterSlotMap map = await store.JoinAsync(other, FromHours(1), CancellationToken.None);
        CoapSlot elsewhere = new(7);
        CoapSlot here = new(8);
        Assert.True(await store.TryChangeAsync(map.Assign(other.Id, [elsewhere]), CancellationToken.None));
        await Eventually.IsTrueAsync(() => node.Map[elsewhere].Node == other.Id);

        // The other node lives, and nothing reaches it; and a slot whose sessions are not loaded yet.
        Assert.True(steering.TryRelay(elsewhere.Number, s_client, [25]));
        Assert.True(steering.TryRelay(here.Number, s_client, [25]));
        Assert.Equal(2, steering.QueuedCount);

        steering.TakeRelayed(1, Item(elsewhere, node.Map.Version));
        Assert.Equal((2, 1), (steering.QueuedCount, node.GetNodeCounters().RelaysStray));

        // The other node knows a newer map: the slot is on its way here.
        steering.TakeRelayed(1, Item(elsewhere, node.Map.Version + 1));
        Assert.Equal((3, 1), (steering.QueuedCount, node.GetNodeCounters().RelaysStray));

        // It knows an older one: this node relays it further, as soon as there is a link.
        steering.TakeRelayed(1, Item(elsewhere, node.Map.Version - 1));
        Assert.Equal((4, 1), (steering.QueuedCount, node.GetNodeCounters().RelaysStray));
        Assert.Equal(3, node.GetNodeCounters().RelaysReceived);
        Assert.Equal(0, node.GetNodeCounters().Relayed);
        Assert.False(steering.TrySendVia(0, s_client, [25]));
        Assert.False(steering.TrySendVia(5, s_client, [25]));
    }

    public ValueTask DisposeAsync() => _nodes.DisposeAsync();

    private static RelayedDatagram Item(CoapSlot slot, long version) => new()
    {
        Slot = slot,
        Version = version,
        Remote = s_client,
        Datagram = new byte[] { 25 },
    };

    private static ClusterSteering SteeringOf(CoapCluster node) => node.Steer((ClusterSessionBackup)node.CreateSessionBackup().Backup);
}
