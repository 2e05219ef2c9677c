using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Nodes;
using CoAP.NET.Cluster.Stores;

namespace CoAP.NET.Cluster.Tests.Nodes;

public sealed class SlotOwnershipTests : IAsyncLifetime
{
    private readonly VirtualClock _clock = new();
    private readonly CoapMemoryCluster _memory;
    private readonly NodeHub _hub = new();
    private readonly CoapCluster _first;
    private readonly CoapCluster _second;

    public SlotOwnershipTests()
    {
        _memory = new CoapMemoryCluster(_clock);
        _first = Make();
        _second = Make();
    }

    public async ValueTask InitializeAsync()
    {
        await _first.StartAsync();
        await _second.StartAsync();
    }

    public async ValueTask DisposeAsync()
    {
        await _first.DisposeAsync();
        await _second.DisposeAsync();
    }

    [Fact]
    public async Task Concurrent_slot_acquisitions_are_combined_into_few_changes_of_the_map()
    {
        bool[] taken = await Task.WhenAll(CoapSlot.All.Select(slot => _first.SlotOwnership.TakeAsync(slot, default, default)));

        Assert.DoesNotContain(false, taken);
        Assert.Equal(CoapSlot.Count, _first.Map.SlotsOf(_first.Self.Id).Count);
        Assert.InRange(_first.Map.Version, 1, 4);
    }

    [Fact]
    public async Task A_slot_of_a_live_node_can_be_taken_only_under_the_fence_of_its_release()
    {
        CoapSlot slot = new(17);
        Assert.True(await _first.SlotOwnership.TakeAsync(slot, default, default));
        Assert.False(await _second.SlotOwnership.TakeAsync(slot, default, default));
        CoapFencingToken released = await _first.SlotOwnership.ReleaseAsync(slot, default);
        Assert.Equal(_first.FenceOf(slot), released);
        Assert.True(_first.Releases.IsMoving(slot, released));
        Assert.False(await _second.SlotOwnership.TakeAsync(slot, new CoapFencingToken(released.Value + 1), default));
        Assert.True(await _second.SlotOwnership.TakeAsync(slot, released, default));

        await Eventually.IsTrueAsync(() => !_first.FenceOf(slot).IsSet && _first.GetNodeCounters().HandedOver == 1);
        CoapClusterNodeCounters counters = _first.GetNodeCounters();
        Assert.Equal((0, 0), (counters.Lost, counters.Moving));
        Assert.False((await _first.SlotOwnership.ReleaseAsync(slot, default)).IsSet);
    }

    [Fact]
    public async Task A_released_slot_that_was_not_taken_returns_under_a_new_fence()
    {
        CoapSlot slot = new(17);
        await _first.SlotOwnership.TakeAsync(slot, default, default);
        CoapFencingToken released = await _first.SlotOwnership.ReleaseAsync(slot, default);
        Assert.True(await _first.SlotOwnership.TakeAsync(slot, default, default));

        Assert.Equal(released.Next(), _first.FenceOf(slot));
        Assert.False(_first.Releases.IsMoving(slot, _first.FenceOf(slot)));
        Assert.False(await _second.SlotOwnership.TakeAsync(slot, released, default));
        Assert.Equal(0, _first.GetNodeCounters().HandedOver);
    }

    [Fact]
    public async Task The_slot_of_a_dead_node_is_taken_although_its_lease_is_valid()
    {
        CoapSlot slot = new(17);
        await _first.SlotOwnership.TakeAsync(slot, default, default);
        _hub.Kill(_first.Self.Id);
        await Eventually.IsTrueAsync(() => !_second.Map.IsThere(_first.Self.Id));

        Assert.True(await _second.SlotOwnership.TakeAsync(slot, default, default));
        await Eventually.IsTrueAsync(() => !_first.FenceOf(slot).IsSet);
        Assert.Equal(1, _first.GetNodeCounters().Lost);
    }

    [Fact]
    public async Task A_node_takes_a_slot_only_when_it_is_requested()
    {
        await Eventually.IsTrueAsync(() => _second.Map.Nodes.Count == 2);

        Assert.Empty(_first.Map.SlotsOf(_first.Self.Id));
        Assert.Empty(_second.Map.SlotsOf(_second.Self.Id));
    }

    [Fact]
    public async Task A_slot_acquisition_waits_for_an_unavailable_store_until_its_caller_cancels()
    {
        using CancellationTokenSource patience = new();
        _memory.IsAway = true;
        Task<bool> impatient = _first.SlotOwnership.TakeAsync(new CoapSlot(1), default, patience.Token);
        Task<bool> patient = _first.SlotOwnership.TakeAsync(new CoapSlot(2), default, default);
        await patience.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => impatient);
        _memory.IsAway = false;
        await Eventually.IsTrueAsync(() =>
        {
            _clock.Advance(FromMilliseconds(100));
            return patient.IsCompleted;
        });

        Assert.True(await patient);
    }

    private CoapCluster Make() =>
        _hub.Make(_memory.Open(), ClusterTests.Options(FromHours(1)), _clock, balances: false);
}
