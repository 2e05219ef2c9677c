using CoAP.NET.Tests;

namespace CoAP.NET.Cluster.Tests.Nodes;

/// <summary>How long nodes take to share slots and to leave.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class SharingTimeTests : IAsyncDisposable
{
    private readonly SharingNodes _nodes = new();

    [Fact]
    public async Task A_node_that_leaves_hands_over_everything_and_others_do_not_count_it_any_more()
    {
        CoapCluster first = await _nodes.StartAsync(static moves => moves.RelayTime = TimeSpan.FromMinutes(1));
        await _nodes.StartAsync();
        await _nodes.StartAsync();
        await SharingNodes.FairAsync(_nodes.All);
        int had = first.Map.SlotsOf(first.Self.Id).Count;
        long moved = first.GetNodeCounters().HandedOver;

        Task leaving = first.LeaveAsync();
        await SharingNodes.FairAsync([_nodes.All[1], _nodes.All[2]]);
        await Eventually.IsTrueAsync(() => first.GetNodeCounters().HandedOver == moved + had);

        // It stays for those who still come, and is told with every map.
        Assert.Contains(_nodes.All[1].Map.Nodes, node => node.Id == first.Self.Id && node.IsLeaving);
        Assert.False(leaving.IsCompleted);
        await _nodes.Clock.AdvanceUntilAsync(leaving, TimeSpan.FromMinutes(2));
        Assert.InRange(_nodes.Clock.Elapsed, TimeSpan.FromMinutes(1), TimeSpan.FromMinutes(2));
        await first.DisposeAsync();
        Assert.All(_nodes.All, static node => Assert.Equal(0, node.GetNodeCounters().Lost));
    }

    [Fact]
    public async Task A_node_that_leaves_hands_over_few_slots_at_a_time()
    {
        CoapCluster first = await _nodes.StartAsync(static moves =>
        {
            moves.SettleTime = TimeSpan.FromMinutes(10);
            moves.BatchSize = CoapSlot.Count;
        });
        RecordingHolder holder = new();
        holder.Block();
        first.Releases.Add(holder);
        CoapCluster second = await _nodes.StartAsync();

        Task leaving = first.LeaveAsync();
        await Eventually.IsTrueAsync(() => holder.Released.Count == CoapSlot.Count / 4);
        holder.Unblock();
        await leaving;

        // Four batches of a sixteenth at a time.
        await SharingNodes.FairAsync([second]);
        Assert.Equal(CoapSlot.Count, holder.Released.Count);
        Assert.Equal(CoapSlot.Count / 4, holder.Most);
    }

    [Theory]
    [InlineData(40, 60)]
    [InlineData(120, 121)]
    public async Task A_node_relays_from_when_it_says_that_it_leaves_and_for_a_moment_after_its_last_slot(int held, int ends)
    {
        CoapCluster first = await _nodes.StartAsync(static moves =>
        {
            moves.SettleTime = TimeSpan.FromMinutes(10);
            moves.ReleaseTimeout = TimeSpan.FromMinutes(5);
            moves.LeaveTimeout = TimeSpan.FromMinutes(10);
            moves.RelayTime = TimeSpan.FromMinutes(1);
        });
        RecordingHolder holder = new();
        holder.Block();
        first.Releases.Add(holder);
        CoapCluster second = await _nodes.StartAsync();
        TimeSpan began = _nodes.Clock.Elapsed;

        Task leaving = first.LeaveAsync();
        await holder.Began;
        _nodes.Clock.Advance(TimeSpan.FromSeconds(held));
        holder.Unblock();
        await SharingNodes.FairAsync([second]);
        Assert.False(leaving.IsCompleted);

        await _nodes.Clock.AdvanceUntilAsync(leaving, TimeSpan.FromMinutes(2));
        Assert.InRange(_nodes.Clock.Elapsed - began, TimeSpan.FromSeconds(ends), TimeSpan.FromSeconds(ends + 3));
    }

    [Fact]
    public async Task Slow_requests_at_a_node_that_leaves_hold_up_half_of_its_slots_at_most_and_do_not_add_up()
    {
        CoapCluster first = await _nodes.StartAsync(static moves =>
        {
            moves.SettleTime = TimeSpan.FromMinutes(10);
            moves.BatchSize = 1;
            moves.ReleaseTimeout = TimeSpan.FromSeconds(5);
        });
        RecordingHolder holder = new();
        holder.Block();
        first.Releases.Add(holder);
        CoapCluster second = await _nodes.StartAsync();

        Task leaving = first.LeaveAsync();
        await _nodes.Clock.AdvanceUntilAsync(() => holder.Released.Count == CoapSlot.Count / 2, TimeSpan.FromSeconds(4));

        // Nobody unblocks it: each release ends by its own time.
        await _nodes.Clock.AdvanceUntilAsync(leaving, TimeSpan.FromSeconds(14));
        await SharingNodes.FairAsync([second]);
        Assert.Equal(CoapSlot.Count, holder.Released.Count);
        Assert.Equal(CoapSlot.Count / 2, holder.Most);
    }

    [Fact]
    public async Task A_slot_whose_requests_take_long_does_not_hold_up_the_others_of_a_node_that_leaves()
    {
        CoapCluster first = await _nodes.StartAsync(static moves =>
        {
            moves.SettleTime = TimeSpan.FromMinutes(10);
            moves.ReleaseTimeout = TimeSpan.FromMinutes(5);
            moves.LeaveTimeout = TimeSpan.FromMinutes(10);
        });
        RecordingHolder holder = new() { Blocked = static slot => slot.Number == 0 };
        holder.Block();
        first.Releases.Add(holder);
        CoapCluster second = await _nodes.StartAsync();

        Task leaving = first.LeaveAsync();
        await _nodes.Clock.AdvanceUntilAsync(
            () => second.Map.SlotsOf(second.Self.Id).Count == CoapSlot.Count - (CoapSlot.Count / 16), TimeSpan.FromSeconds(30));

        holder.Unblock();
        await _nodes.Clock.AdvanceUntilAsync(leaving, TimeSpan.FromSeconds(30));
        await SharingNodes.FairAsync([second]);
    }

    [Fact]
    public async Task A_node_that_leaves_ends_in_time_when_its_slots_cannot_be_handed_over()
    {
        CoapCluster first = await _nodes.StartAsync(static moves =>
        {
            moves.LeaveTimeout = TimeSpan.FromSeconds(5);
            moves.ReleaseTimeout = TimeSpan.FromMinutes(5);
        });
        RecordingHolder holder = new();
        holder.Block();
        first.Releases.Add(holder);
        CoapCluster second = await _nodes.StartAsync();

        Task leaving = first.LeaveAsync();
        await holder.Began;
        await _nodes.Clock.AdvanceUntilAsync(leaving, TimeSpan.FromSeconds(6));
        await first.DisposeAsync();

        await SharingNodes.FairAsync([second]);
    }

    [Fact]
    public async Task A_store_that_goes_away_while_slots_move_is_waited_for()
    {
        CoapCluster first = await _nodes.StartAsync();
        RecordingHolder holder = new();
        holder.Block();
        first.Releases.Add(holder);
        await _nodes.StartAsync();
        await holder.Began;
        _nodes.Memory.IsAway = true;
        holder.Unblock();
        await Eventually.IsTrueAsync(() => first.GetNodeCounters().Moving > 0);

        _nodes.Memory.IsAway = false;
        await _nodes.Clock.AdvanceUntilAsync(() => SharingNodes.AreFair(_nodes.All), TimeSpan.FromMinutes(1));
    }

    [Theory]
    [InlineData(3)]
    [InlineData(2)]
    public async Task When_the_store_is_back_slots_of_nodes_that_live_stay_and_those_of_the_others_are_taken_after_a_lease(int living)
    {
        for (int i = 0; i < 3; i++)
        {
            await _nodes.StartAsync();
        }

        await SharingNodes.FairAsync(_nodes.All);
        _nodes.Memory.IsAway = true;
        await _nodes.Clock.AdvanceUntilAsync(
            () => _nodes.All.All(static node => node.Health.IsDegraded) && _nodes.Clock.Elapsed > TimeSpan.FromHours(2),
            TimeSpan.FromHours(3));
        TimeSpan back = _nodes.Clock.Elapsed;
        _nodes.Memory.IsAway = false;
        foreach (CutStore dead in _nodes.Stores.Skip(living))
        {
            await dead.CutAsync();
        }

        CoapCluster[] alive = [.. _nodes.All.Take(living)];
        await _nodes.Clock.AdvanceUntilAsync(
            () => alive.All(static node => !node.Health.IsDegraded) && SharingNodes.AreFair(alive), TimeSpan.FromHours(3));

        Assert.All(alive, static node => Assert.Equal(0, node.GetNodeCounters().Lost));
        if (living < 3)
        {
            Assert.True(_nodes.Clock.Elapsed - back >= TimeSpan.FromHours(1));
        }
    }

    [Fact]
    public async Task Nothing_is_handed_over_before_the_nodes_have_settled()
    {
        CoapCluster first = await _nodes.StartAsync(static moves => moves.SettleTime = TimeSpan.FromSeconds(30));
        RecordingHolder holder = new();
        first.Releases.Add(holder);
        CoapCluster second = await _nodes.StartAsync(static moves => moves.SettleTime = TimeSpan.FromSeconds(30));
        Assert.Empty(holder.Released);
        await _nodes.Clock.AdvanceUntilAsync(() => SharingNodes.AreFair(_nodes.All), TimeSpan.FromMinutes(1));
        Assert.InRange(_nodes.Clock.Elapsed, TimeSpan.FromSeconds(30), TimeSpan.FromSeconds(31));

        // Without waiting when somebody leaves.
        Task leaving = first.LeaveAsync();
        await SharingNodes.FairAsync([second]);
        await leaving;
    }

    public ValueTask DisposeAsync() => _nodes.DisposeAsync();
}
