using CoAP.NET.Cluster.Hosting;
using CoAP.NET.Cluster.Maps;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace CoAP.NET.Cluster.Tests.Nodes;

/// <summary>How long nodes take to share slots and to leave.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class SlotSharingTimeTests : IAsyncDisposable
{
    private readonly SharingNodes _nodes = new();

    [Fact]
    public async Task A_leaving_node_is_unhealthy_hands_over_all_slots_and_no_longer_counts_for_the_shares()
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
        Assert.Equal([HealthStatus.Unhealthy, HealthStatus.Healthy], [await HealthOfAsync(first), await HealthOfAsync(_nodes.All[1])]);
        await _nodes.Clock.AdvanceUntilAsync(leaving, FromMinutes(2));
        Assert.InRange(_nodes.Clock.Elapsed, FromMinutes(1), FromMinutes(2));
        await first.DisposeAsync();
        Assert.All(_nodes.All, node => Assert.Equal(0, node.GetNodeCounters().Lost));
    }

    // As a load balancer sees it, whatever status an operator has chosen for failures.
    private static async Task<HealthStatus> HealthOfAsync(CoapCluster node) => (await new ClusterHealthCheck(node).CheckHealthAsync(
        new HealthCheckContext { Registration = new HealthCheckRegistration("node", _ => null!, HealthStatus.Degraded, null) })).Status;

    [Fact]
    public async Task A_leaving_node_hands_over_a_limited_number_of_slots_at_a_time()
    {
        CoapCluster first = await _nodes.StartAsync(moves =>
        {
            moves.SettleTime = FromMinutes(10);
            moves.BatchSize = 4;
        });
        RecordingSlotState holder = new();
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
    public async Task A_leaving_node_relays_until_a_moment_after_its_last_slot_was_handed_over(int held, int ends)
    {
        CoapCluster first = await _nodes.StartAsync(moves =>
        {
            moves.SettleTime = FromMinutes(10);
            moves.ReleaseTimeout = FromMinutes(5);
            moves.LeaveTimeout = FromMinutes(10);
            moves.RelayTime = FromMinutes(1);
        });
        RecordingSlotState holder = new();
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
    public async Task Slow_requests_at_a_leaving_node_delay_at_most_half_of_its_slots_and_the_delays_do_not_add_up()
    {
        CoapCluster first = await _nodes.StartAsync(moves =>
        {
            moves.SettleTime = FromMinutes(10);
            moves.ReleaseTimeout = FromSeconds(5);
        });
        RecordingSlotState holder = new();
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
    public async Task A_slot_with_slow_requests_does_not_delay_the_other_slots_of_a_leaving_node()
    {
        CoapCluster first = await _nodes.StartAsync(moves =>
        {
            moves.SettleTime = FromMinutes(10);
            moves.ReleaseTimeout = FromMinutes(5);
            moves.LeaveTimeout = FromMinutes(10);
        });
        RecordingSlotState holder = new() { Blocked = slot => slot.Number == 0 };
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
    public async Task A_leaving_node_ends_within_its_timeout_when_its_slots_cannot_be_handed_over()
    {
        CoapCluster first = await _nodes.StartAsync(moves =>
        {
            moves.LeaveTimeout = FromSeconds(5);
            moves.ReleaseTimeout = FromMinutes(5);
        });
        RecordingSlotState holder = new();
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
    public async Task Moving_slots_continues_when_an_unavailable_store_is_available_again()
    {
        CoapCluster first = await _nodes.StartAsync();
        RecordingSlotState holder = new();
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
    public async Task A_standby_takes_the_slots_of_the_active_node_after_a_store_outage_only_if_that_node_is_dead(
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
    public async Task Live_nodes_keep_their_slots_over_a_long_store_outage_and_slots_of_a_dead_node_are_taken_afterwards()
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
    public async Task Slots_released_for_a_node_that_died_return_under_a_new_fence()
    {
        CoapCluster first = await _nodes.StartAsync();
        RecordingSlotState holder = new();
        holder.Block();
        first.Releases.Add(holder);
        CoapFencingToken before = first.FenceOf(new CoapSlot(255));
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
    public async Task A_released_slot_returns_when_its_next_owner_does_not_get_the_message()
    {
        CoapCluster first = await _nodes.StartAsync();
        RecordingSlotState holder = new();
        holder.Block();
        first.Releases.Add(holder);
        CoapCluster second = await _nodes.StartAsync();
        await holder.Began;
        _nodes.Hub.Cut(first.Self.Id, second.Self.Id);
        CoapSlot slot = holder.Released[0];
        CoapFencingToken before = first.FenceOf(slot);
        holder.Unblock();
        await _nodes.Clock.AdvanceUntilAsync(() => first.FenceOf(slot) == before.Next(), FromSeconds(5));

        _nodes.Hub.Mend();
        await _nodes.Clock.AdvanceUntilAsync(() => SharingNodes.AreFair(_nodes.All), FromMinutes(2));
        Assert.Equal(0, first.GetNodeCounters().Lost);
    }

    [Fact]
    public async Task Slots_are_handed_over_only_after_the_settle_time()
    {
        CoapCluster first = await _nodes.StartAsync(moves => moves.SettleTime = FromSeconds(30));
        RecordingSlotState holder = new();
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
