namespace CoAP.NET.Cluster.Tests.Nodes;

/// <summary>How long nodes take to share slots and to leave.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class SharingTimeTests : IAsyncDisposable
{
    private readonly SharingNodes _nodes = new();

    [Fact]
    public async Task A_node_that_leaves_hands_over_everything_and_others_do_not_count_it_any_more()
    {
        CoapCluster first = await _nodes.StartAsync(moves => moves.RelayTime = FromMinutes(1));
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
        await _nodes.Clock.AdvanceUntilAsync(leaving, FromMinutes(2));
        Assert.InRange(_nodes.Clock.Elapsed, FromMinutes(1), FromMinutes(2));
        await first.DisposeAsync();
        Assert.All(_nodes.All, node => Assert.Equal(0, node.GetNodeCounters().Lost));
    }

    [Fact]
    public async Task A_node_that_leaves_hands_over_few_slots_at_a_time()
    {
        CoapCluster first = await _nodes.StartAsync(moves =>
        {
            moves.SettleTime = FromMinutes(10);
            moves.BatchSize = 4;
        });
        RecordingHolder holder = new();
        holder.Block();
        first.Releases.Add(holder);
        CoapCluster second = await _nodes.StartAsync();

        Task leaving = first.LeaveAsync();
        await Eventually.IsTrueAsync(() => holder.Released.Count == 8 * 4);
        holder.Unblock();
        await _nodes.Clock.AdvanceUntilAsync(leaving, FromSeconds(14));

        // Eight batches at a time.
        await SharingNodes.FairAsync([second]);
        Assert.Equal(CoapSlot.Count, holder.Released.Count);
        Assert.Equal(8 * 4, holder.Most);
    }

    [Theory]
    [InlineData(40, 60)]
    [InlineData(120, 121)]
    public async Task A_node_relays_from_when_it_says_that_it_leaves_and_for_a_moment_after_its_last_slot(int held, int ends)
    {
        CoapCluster first = await _nodes.StartAsync(moves =>
        {
            moves.SettleTime = FromMinutes(10);
            moves.ReleaseTimeout = FromMinutes(5);
            moves.LeaveTimeout = FromMinutes(10);
            moves.RelayTime = FromMinutes(1);
        });
        RecordingHolder holder = new();
        holder.Block();
        first.Releases.Add(holder);
        CoapCluster second = await _nodes.StartAsync();
        TimeSpan began = _nodes.Clock.Elapsed;

        Task leaving = first.LeaveAsync();
        await holder.Began;
        _nodes.Clock.Advance(FromSeconds(held));
        holder.Unblock();
        await SharingNodes.FairAsync([second]);
        await Eventually.IsTrueAsync(() => first.Map.SlotsOf(first.Self.Id).Count == 0);
        Assert.False(leaving.IsCompleted);

        await _nodes.Clock.AdvanceUntilAsync(leaving, FromMinutes(2));
        Assert.InRange(_nodes.Clock.Elapsed - began, FromSeconds(ends), FromSeconds(ends + 3));
    }

    [Fact]
    public async Task Slow_requests_at_a_node_that_leaves_hold_up_half_of_its_slots_at_most_and_do_not_add_up()
    {
        CoapCluster first = await _nodes.StartAsync(moves =>
        {
            moves.SettleTime = FromMinutes(10);
            moves.ReleaseTimeout = FromSeconds(5);
        });
        RecordingHolder holder = new();
        holder.Block();
        first.Releases.Add(holder);
        CoapCluster second = await _nodes.StartAsync();

        Task leaving = first.LeaveAsync();
        await _nodes.Clock.AdvanceUntilAsync(() => holder.Released.Count == CoapSlot.Count / 2, FromSeconds(4));

        // Nobody unblocks it: each release ends by its own time.
        await _nodes.Clock.AdvanceUntilAsync(leaving, FromSeconds(14));
        await SharingNodes.FairAsync([second]);
        Assert.Equal(CoapSlot.Count, holder.Released.Count);
        Assert.Equal(CoapSlot.Count / 2, holder.Most);
    }

    [Fact]
    public async Task A_slot_whose_requests_take_long_does_not_hold_up_the_others_of_a_node_that_leaves()
    {
        CoapCluster first = await _nodes.StartAsync(moves =>
        {
            moves.SettleTime = FromMinutes(10);
            moves.ReleaseTimeout = FromMinutes(5);
            moves.LeaveTimeout = FromMinutes(10);
        });
        RecordingHolder holder = new() { Blocked = slot => slot.Number == 0 };
        holder.Block();
        first.Releases.Add(holder);
        CoapCluster second = await _nodes.StartAsync();

        Task leaving = first.LeaveAsync();
        await _nodes.Clock.AdvanceUntilAsync(
            () => second.Map.SlotsOf(second.Self.Id).Count == CoapSlot.Count - 1, FromSeconds(30));

        holder.Unblock();
        await _nodes.Clock.AdvanceUntilAsync(leaving, FromSeconds(30));
        await SharingNodes.FairAsync([second]);
    }

    [Fact]
    public async Task A_node_that_leaves_ends_in_time_when_its_slots_cannot_be_handed_over()
    {
        CoapCluster first = await _nodes.StartAsync(moves =>
        {
            moves.LeaveTimeout = FromSeconds(5);
            moves.ReleaseTimeout = FromMinutes(5);
        });
        RecordingHolder holder = new();
        holder.Block();
        first.Releases.Add(holder);
        CoapCluster second = await _nodes.StartAsync();

        Task leaving = first.LeaveAsync();
        await holder.Began;
        await _nodes.Clock.AdvanceUntilAsync(leaving, FromSeconds(6));
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
        await _nodes.Clock.AdvanceUntilAsync(() => SharingNodes.AreFair(_nodes.All), FromMinutes(1));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task When_the_store_is_back_a_standby_leaves_the_slots_to_the_active_node_and_takes_them_after_a_lease_if_it_is_dead(
        bool lives)
    {
        CoapCluster active = await _nodes.StartAsync(shares: false);
        CoapCluster standby = await _nodes.StartAsync(shares: false);
        await Eventually.IsTrueAsync(() => standby.Map.SlotsOf(active.Self.Id).Count == CoapSlot.Count);
        _nodes.Memory.IsAway = true;
        await _nodes.Clock.AdvanceUntilAsync(
            () => _nodes.All.All(node => node.Health.IsDegraded) && _nodes.Clock.Elapsed > FromHours(2),
            FromHours(3));
        TimeSpan back = _nodes.Clock.Elapsed;
        if (!lives)
        {
            await _nodes.Stores[0].CutAsync();
        }

        _nodes.Memory.IsAway = false;
        await _nodes.Clock.AdvanceUntilAsync(
            () => !standby.Health.IsDegraded && (lives
                ? _nodes.Clock.Elapsed - back > FromHours(2) : standby.Map.SlotsOf(standby.Self.Id).Count == CoapSlot.Count),
            FromHours(4));

        Assert.Equal(lives ? CoapSlot.Count : 0, standby.Map.SlotsOf(active.Self.Id).Count);
        Assert.True(lives || _nodes.Clock.Elapsed - back >= FromHours(1));
        Assert.Equal(0, active.GetNodeCounters().Lost);
    }

    [Fact]
    public async Task While_the_store_is_away_longer_than_a_lease_nodes_that_live_keep_their_slots_and_those_of_a_dead_one_are_taken_after_it()
    {
        for (int i = 0; i < 3; i++)
        {
            await _nodes.StartAsync();
        }

        await SharingNodes.FairAsync(_nodes.All);
        long moved = _nodes.All.Sum(node => node.GetNodeCounters().HandedOver);
        _nodes.Memory.IsAway = true;
        await _nodes.Clock.AdvanceUntilAsync(
            () => _nodes.All.All(node => node.Health.IsDegraded) && _nodes.Clock.Elapsed > FromHours(2),
            FromHours(3));
        await _nodes.KillAsync(2);
        _nodes.Memory.IsAway = false;
        CoapCluster[] alive = [.. _nodes.All.Take(2)];
        await _nodes.Clock.AdvanceUntilAsync(
            () => alive.All(node => !node.Health.IsDegraded) && SharingNodes.AreFair(alive), FromHours(3));

        Assert.All(alive, node => Assert.Equal(0, node.GetNodeCounters().Lost));
        Assert.Equal(moved, _nodes.All.Sum(node => node.GetNodeCounters().HandedOver));
    }

    [Fact]
    public async Task Slots_that_were_released_for_a_node_that_died_come_back_under_a_new_fence()
    {
        CoapCluster first = await _nodes.StartAsync();
        RecordingHolder holder = new();
        holder.Block();
        first.Releases.Add(holder);
        CoapFence before = first.FenceOf(new CoapSlot(255));
        await _nodes.StartAsync();
        await holder.Began;
        CoapSlot[] released = [.. CoapSlot.All.Where(slot => first.Releases.IsMoving(slot, first.FenceOf(slot)))];
        Assert.NotEmpty(released);

        await _nodes.KillAsync(1);
        await Eventually.IsTrueAsync(() => first.Map.Nodes.Count == 1);
        holder.Unblock();

        await _nodes.Clock.AdvanceUntilAsync(
            () => released.All(slot => first.FenceOf(slot) == before.Next()), FromSeconds(5));
        Assert.All(released, slot => Assert.False(first.Releases.IsMoving(slot, first.FenceOf(slot))));
        Assert.Equal(0, first.GetNodeCounters().HandedOver);
    }

    [Fact]
    public async Task A_slot_whose_next_owner_does_not_hear_of_its_release_returns()
    {
        CoapCluster first = await _nodes.StartAsync();
        RecordingHolder holder = new();
        holder.Block();
        first.Releases.Add(holder);
        CoapCluster second = await _nodes.StartAsync();
        await holder.Began;
        _nodes.Hub.Cut(first.Self.Id, second.Self.Id);
        CoapSlot slot = holder.Released[0];
        CoapFence before = first.FenceOf(slot);
        holder.Unblock();
        await _nodes.Clock.AdvanceUntilAsync(() => first.FenceOf(slot) == before.Next(), FromSeconds(5));

        _nodes.Hub.Mend();
        await _nodes.Clock.AdvanceUntilAsync(() => SharingNodes.AreFair(_nodes.All), FromMinutes(2));
        Assert.Equal(0, first.GetNodeCounters().Lost);
    }

    [Fact]
    public async Task Nothing_is_handed_over_before_the_nodes_have_settled()
    {
        CoapCluster first = await _nodes.StartAsync(moves => moves.SettleTime = FromSeconds(30));
        RecordingHolder holder = new();
        first.Releases.Add(holder);
        CoapCluster second = await _nodes.StartAsync(moves => moves.SettleTime = FromSeconds(30));
        Assert.Empty(holder.Released);
        await _nodes.Clock.AdvanceUntilAsync(() => SharingNodes.AreFair(_nodes.All), FromMinutes(1));
        Assert.InRange(_nodes.Clock.Elapsed, FromSeconds(30), FromSeconds(31));

        // Without waiting when somebody leaves.
        Task leaving = first.LeaveAsync();
        await SharingNodes.FairAsync([second]);
        await leaving;
    }

    public ValueTask DisposeAsync() => _nodes.DisposeAsync();
}
