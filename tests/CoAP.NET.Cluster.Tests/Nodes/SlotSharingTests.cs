using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Nodes;
using CoAP.NET.Cluster.Records;

namespace CoAP.NET.Cluster.Tests.Nodes;

/// <summary>Several nodes that share slots, and what they hand over.</summary>
public sealed class SlotSharingTests : IAsyncDisposable
{
    private readonly SharingNodes _nodes = new();

    [Fact]
    public async Task A_joining_node_gets_its_share_of_the_slots_without_unnecessary_moves()
    {
        await _nodes.StartAsync();
        await _nodes.StartAsync();
        await _nodes.StartAsync();

        await SharingNodes.FairAsync(_nodes.All);
        Assert.True(_nodes.All.Sum(node => node.GetNodeCounters().HandedOver) <= 128 + 86, "Slots moved more often than needed.");
        Assert.All(_nodes.All, node => Assert.Equal(0, node.GetNodeCounters().Lost));
    }

    [Fact]
    public async Task The_surviving_nodes_take_fair_shares_of_the_slots_of_a_dead_node()
    {
        await _nodes.StartAsync();
        await _nodes.StartAsync();
        await _nodes.StartAsync();
        await SharingNodes.FairAsync(_nodes.All);
        Dictionary<CoapSlot, CoapFencingToken> before = CoapSlot.All.ToDictionary(slot => slot, slot => _nodes.All[0].Map[slot].Fence);
        IReadOnlyList<CoapSlot> orphans = _nodes.All[0].Map.SlotsOf(_nodes.All[1].Self.Id);

        // For a moment a node does not take back what it has released.
        _nodes.Clock.Advance(FromSeconds(3));
        await _nodes.KillAsync(1);

        await SharingNodes.FairAsync([_nodes.All[0], _nodes.All[2]]);
        Assert.All(CoapSlot.All, slot => Assert.Equal(orphans.Contains(slot), before[slot] != _nodes.All[0].Map[slot].Fence));
    }

    [Fact]
    public async Task A_slot_is_released_before_it_is_handed_over_and_slots_move_in_small_batches()
    {
        CoapCluster first = await _nodes.StartAsync(moves => moves.BatchSize = 5);
        ConcurrentQueue<CoapSlot> early = [];
        RecordingSlotState holder = new()
        {
            Check = slot =>
            {
                if (!first.Releases.IsMoving(slot, first.FenceOf(slot)))
                {
                    early.Enqueue(slot);
                }
            },
        };
        first.Releases.Add(holder);
        CoapCluster second = await _nodes.StartAsync();

        await SharingNodes.FairAsync(_nodes.All);

        Assert.Empty(early);
        Assert.InRange(holder.Most, 1, 5);
        Assert.Equal(second.Map.SlotsOf(second.Self.Id), holder.Released.Distinct().Order());
        await Eventually.IsTrueAsync(() => first.GetNodeCounters().Moving == 0);
        Assert.Equal(128, first.GetNodeCounters().HandedOver);
    }

    [Fact]
    public async Task Pending_records_are_written_before_their_slot_is_handed_over()
    {
        CoapCluster first = await _nodes.StartAsync();
        foreach (CoapSlot slot in CoapSlot.All)
        {
            Assert.True(first.Writer.TryWrite(Put(slot, first.FenceOf(slot))));
        }

        await _nodes.StartAsync();
        await SharingNodes.FairAsync(_nodes.All);
        await first.Writer.FlushAsync();

        Assert.Equal(0, first.Writer.GetCounters().Fenced);
    }

    [Fact]
    public async Task A_slot_moves_although_its_release_failed()
    {
        CoapCluster first = await _nodes.StartAsync();
        first.Releases.Add(new RecordingSlotState { Failure = new InvalidOperationException("a holder of the test") });

        await _nodes.StartAsync();

        await SharingNodes.FairAsync(_nodes.All);
    }

    [Fact]
    public async Task A_node_that_leaves_alone_or_with_standbys_only_does_not_wait()
    {
        CoapCluster alone = await _nodes.StartAsync();
        await alone.LeaveAsync();
        await alone.DisposeAsync();

        CoapCluster active = await _nodes.StartAsync(shares: false);
        CoapCluster standby = await _nodes.StartAsync(shares: false);
        await active.LeaveAsync();
        Assert.Equal(CoapSlot.Count, active.Map.SlotsOf(active.Self.Id).Count);
        await active.DisposeAsync();
        await SharingNodes.FairAsync([standby]);
    }

    [Fact]
    public void Many_joins_within_a_minute_lengthen_the_settle_time_and_a_rolling_restart_does_not()
    {
        MembershipStability clock = new(FromSeconds(2), _nodes.Clock);
        CoapNodeId[] rolling = [CoapNodeId.New(), CoapNodeId.New(), CoapNodeId.New()];
        clock.See(rolling);
        Assert.Equal(FromSeconds(2), clock.Left());
        _nodes.Clock.Advance(FromSeconds(1));
        clock.See([.. rolling.Reverse()]);
        Assert.Equal(FromSeconds(1), clock.Left());
        _nodes.Clock.Advance(FromSeconds(61));
        Assert.Equal(TimeSpan.Zero, clock.Left());

        for (int i = 0; i < rolling.Length; i++)
        {
            rolling[i] = CoapNodeId.New();
            clock.See(rolling);
            Assert.Equal(FromSeconds(2), clock.Left());
        }

        TimeSpan[] flaps = [.. Enumerable.Range(0, 8).Select(_ =>
        {
            clock.See([rolling[0], CoapNodeId.New()]);
            return clock.Left();
        })];
        Assert.Equal([2, 4, 8, 16, 32, 60, 60, 60], flaps.Select(left => left.TotalSeconds));
        _nodes.Clock.Advance(FromMinutes(2));
        Assert.Equal(TimeSpan.Zero, clock.Left());
    }

    [Fact]
    public void The_error_for_an_invalid_move_option_names_the_option()
    {
        CoapClusterOptions options = ClusterTests.Options();
        Assert.Throws<ArgumentOutOfRangeException>("BatchSize", () => options.Moves.BatchSize = 0);
    }

    public ValueTask DisposeAsync() => _nodes.DisposeAsync();

    private static CoapRecordWrite Put(CoapSlot slot, CoapFencingToken fence) => CoapRecordWrite.Put(
        new CoapRecordKey(CoapRecordKind.Device, slot, "a"u8), fence, "state"u8.ToArray(), Timeout.InfiniteTimeSpan);
}
