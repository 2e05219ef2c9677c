using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Stores;
using CoAP.NET.Cluster.Tests.Nodes;

namespace CoAP.NET.Cluster.Tests.Oscore;

public sealed class ClusterOscoreStoreTests
{
    private static readonly OscoreStoreKey s_key = new([.. Enumerable.Range(0, 32).Select(i => (byte)i)]);
    private static readonly CoapSlot s_slot = CoapSlot.OfName(s_key.Bytes.Span);

    private readonly CoapMemoryCluster _memory = new();

    [Fact]
    public async Task Sequence_numbers_continue_at_the_reserved_bound_however_the_process_ended()
    {
        await using (CoapCluster first = await NodeAsync())
        {
            OscoreStoredState state = await first.OscoreStore.OpenAsync(s_key, default);
            Assert.Equal((1UL, 0UL, true, null), (state.Epoch, state.Next, state.IsNew, state.Received));
            await first.OscoreStore.ReserveAsync(s_key, 1, 100, default);
            await first.OscoreStore.ReserveAsync(s_key, 1, 200, default);
            await Assert.ThrowsAsync<ArgumentOutOfRangeException>(async () =>
                await first.OscoreStore.ReserveAsync(s_key, 1, 199, default));
            await Assert.ThrowsAsync<ArgumentOutOfRangeException>(async () =>
                await first.OscoreStore.ReserveAsync(s_key, 1, (1UL << 40) + 1, default));
        }

        await using (CoapCluster second = await NodeAsync())
        {
            OscoreStoredState state = await second.OscoreStore.OpenAsync(s_key, default);
            Assert.Equal((2UL, 200UL, false, null), (state.Epoch, state.Next, state.IsNew, state.Received));
            await second.OscoreStore.CloseAsync(s_key, 2, new OscoreReceivedNumbers(77, [0b101]), default);
            await RefusedAsync(second, 2);
        }

        await using CoapCluster third = await NodeAsync();
        OscoreStoredState last = await third.OscoreStore.OpenAsync(s_key, default);
        Assert.Equal((200UL, false, 77UL), (last.Next, last.IsNew, last.Received!.Next));
        Assert.Equal([0b101], last.Received.Seen.ToArray());
        Assert.True(last.Epoch > 2);

        // What came is given once: a crash now must not find it.
        last = await third.OscoreStore.OpenAsync(s_key, default);
        Assert.Null(last.Received);
    }

    [Fact]
    public async Task Sequence_numbers_continue_far_above_and_the_window_is_unknown_after_a_loss_of_the_store()
    {
        MemoryStoreSnapshot backup;
        await using (CoapCluster first = await NodeAsync())
        {
            OscoreStoredState state = await first.OscoreStore.OpenAsync(s_key, default);
            await first.OscoreStore.ReserveAsync(s_key, state.Epoch, 100, default);
            await first.OscoreStore.CloseAsync(s_key, state.Epoch, new OscoreReceivedNumbers(77, [0b101]), default);
            backup = _memory.Save();
            state = await first.OscoreStore.OpenAsync(s_key, default);
            await first.OscoreStore.ReserveAsync(s_key, state.Epoch, 200, default);
            _memory.GoBack(backup);

            // Who had it open does not know whether others did, too.
            await Eventually.IsTrueAsync(() => first.Map.StaleFence.IsSet);
            await RefusedAsync(first, state.Epoch);
        }

        await using CoapCluster second = await NodeAsync();
        OscoreStoredState after = await second.OscoreStore.OpenAsync(s_key, default);
        OscoreStoredState lost = await second.OscoreStore.OpenAsync(new([.. Enumerable.Repeat((byte)7, 32)]), default);

        Assert.Equal((100UL + (1 << 24), false, null), (after.Next, after.IsNew, after.Received));

        // Its record may have been lost as a whole.
        Assert.Equal((1UL << 24, false), (lost.Next, lost.IsNew));
        await second.OscoreStore.ReserveAsync(s_key, after.Epoch, after.Next + 50, default);
        Assert.Equal(after.Next + 50, (await second.OscoreStore.OpenAsync(s_key, default)).Next);
    }

    [Fact]
    public async Task Opening_a_context_again_ends_its_previous_epoch()
    {
        await using CoapCluster cluster = await NodeAsync();
        OscoreStoredState first = await cluster.OscoreStore.OpenAsync(s_key, default);
        await cluster.OscoreStore.ReserveAsync(s_key, first.Epoch, 50, default);
        OscoreStoredState second = await cluster.OscoreStore.OpenAsync(s_key, default);

        Assert.Equal(50UL, second.Next);
        await RefusedAsync(cluster, first.Epoch);
        await cluster.OscoreStore.ReserveAsync(s_key, second.Epoch, 60, default);
    }

    [Fact]
    public async Task Concurrent_openings_of_a_context_get_different_epochs()
    {
        await using CoapCluster cluster = await NodeAsync();

        OscoreStoredState[] states = await Task.WhenAll(Enumerable.Range(0, 20).Select(_ =>
            cluster.OscoreStore.OpenAsync(s_key, default).AsTask()));

        Assert.Equal(20, states.Select(state => state.Epoch).Distinct().Count());
        ulong last = states.Max(state => state.Epoch);
        await cluster.OscoreStore.ReserveAsync(s_key, last, 10, default);
        await RefusedAsync(cluster, last - 1);
    }

    [Fact]
    public async Task An_opening_continues_above_the_numbers_that_the_previous_one_reserved_after_the_record_was_read()
    {
        CutStore store = new(_memory.Open());
        await using CoapCluster cluster = new(store, ClusterTests.Options(FromHours(1)));
        await cluster.StartAsync();
        OscoreStoredState first = await cluster.OscoreStore.OpenAsync(s_key, default);
        store.HoldFound();
        Task<OscoreStoredState> opening = cluster.OscoreStore.OpenAsync(s_key, default).AsTask();
        await cluster.OscoreStore.ReserveAsync(s_key, first.Epoch, 32, default);
        store.Wake();

        OscoreStoredState second = await opening;

        Assert.Equal((first.Epoch + 1, 32UL), (second.Epoch, second.Next));
        await RefusedAsync(cluster, first.Epoch);
    }

    [Fact]
    public async Task A_node_that_lost_the_slot_can_reserve_no_more_numbers()
    {
        await using CoapCluster cluster = await NodeAsync();
        OscoreStoredState state = await cluster.OscoreStore.OpenAsync(s_key, default);
        await using CoapSealedClusterStore store = ClusterTests.Open(_memory);
        CoapClusterNode other = new(CoapNodeId.New(), "");
        CoapClusterSlotMap map = await store.JoinAsync(other, FromHours(1), default);
        Assert.True(await store.TryChangeAsync(map.Assign(other.Id, [s_slot]), default));

        await RefusedAsync(cluster, state.Epoch);
        await Eventually.IsTrueAsync(() => !cluster.FenceOf(s_slot).IsSet);
        OscoreStoreException exception = await Assert.ThrowsAsync<OscoreStoreException>(async () =>
            await cluster.OscoreStore.OpenAsync(s_key, default));
        Assert.Equal(OscoreStoreFault.InUse, exception.Fault);
    }

    [Fact]
    public async Task An_unreadable_record_is_not_treated_as_a_new_context()
    {
        await using CoapCluster cluster = await NodeAsync();
        foreach (byte[] state in (byte[][])[[0xff, .. new byte[15]], [.. new byte[10], 1, 0, 0, 0, 0, 1]])
        {
            await cluster.Store.WriteAsync((CoapRecordWrite[])[CoapRecordWrite.Put(
                new CoapRecordKey(CoapRecordKind.OscoreContext, s_slot, s_key.Bytes.Span), cluster.FenceOf(s_slot), state,
                Timeout.InfiniteTimeSpan)], default);

            OscoreStoreException exception = await Assert.ThrowsAsync<OscoreStoreException>(async () =>
                await cluster.OscoreStore.OpenAsync(s_key, default));
            Assert.Equal(OscoreStoreFault.Corrupt, exception.Fault);
        }
    }

    [Fact]
    public async Task Sequence_numbers_continue_at_the_reserved_bound_although_the_cluster_secret_changed()
    {
        await using (CoapCluster first = await NodeAsync())
        {
            OscoreStoredState state = await first.OscoreStore.OpenAsync(s_key, default);
            await first.OscoreStore.ReserveAsync(s_key, state.Epoch, 100, default);
            await first.OscoreStore.CloseAsync(s_key, state.Epoch, new OscoreReceivedNumbers(77, [0b101]), default);
        }

        await using (CoapSealedClusterStore store = ClusterTests.Open(_memory))
        {
            CoapRecord mark = (await store.FindAsync(ClusterSecretCheckRecord.RecordKey, default))!;
            await store.WriteAsync(new[] { CoapRecordWrite.Remove(mark.Key, mark.Fence) }, default);
        }

        CoapClusterOptions options = ClusterTests.Options(FromHours(1));
        options.Secrets = [CoapSealedClusterStore.NewSecret()];
        await using CoapCluster second = new(_memory.Open(), options);
        await second.StartAsync();
        OscoreStoredState after = await second.OscoreStore.OpenAsync(s_key, default);

        Assert.Equal((100UL, false, 77UL), (after.Next, after.IsNew, after.Received!.Next));
        await second.OscoreStore.ReserveAsync(s_key, after.Epoch, 200, default);
        Assert.Equal(200UL, (await second.OscoreStore.OpenAsync(s_key, default)).Next);
    }

    [Fact]
    public async Task A_forgotten_context_is_removed_and_its_open_instance_can_reserve_no_more_numbers()
    {
        await using CoapCluster cluster = await NodeAsync();
        OscoreStoredState state = await cluster.OscoreStore.OpenAsync(s_key, default);
        await cluster.OscoreStore.ReserveAsync(s_key, state.Epoch, 100, default);
        Assert.Equal((2, 1), (_memory.Count, cluster.OscoreNumbers.OpenCount));

        await cluster.ForgetOscoreContextAsync(s_key);

        Assert.Equal((1, 0), (_memory.Count, cluster.OscoreNumbers.OpenCount));
        await RefusedAsync(cluster, state.Epoch);
        Assert.Equal(1, _memory.Count);
        await cluster.ForgetOscoreContextAsync(s_key);
        Assert.True((await cluster.OscoreStore.OpenAsync(s_key, default)).IsNew);
    }

    [Fact]
    public async Task Only_the_owner_of_the_slot_may_forget_a_context()
    {
        await using CoapCluster cluster = await NodeAsync();
        await cluster.OscoreStore.OpenAsync(s_key, default);
        await using CoapCluster other = await NodeAsync();

        OscoreStoreException exception = await Assert.ThrowsAsync<OscoreStoreException>(async () =>
            await other.ForgetOscoreContextAsync(s_key));
        Assert.Equal((OscoreStoreFault.InUse, 2), (exception.Fault, _memory.Count));
    }

    [Fact]
    public async Task A_context_cannot_be_opened_before_the_node_has_joined()
    {
        await using CoapCluster cluster = new(_memory.Open(), ClusterTests.Options());

        OscoreStoreException exception = await Assert.ThrowsAsync<OscoreStoreException>(async () =>
            await cluster.OscoreStore.OpenAsync(s_key, default));
        Assert.Equal(OscoreStoreFault.Failed, exception.Fault);
    }

    private static async Task RefusedAsync(CoapCluster cluster, ulong epoch)
    {
        OscoreStoreException exception = await Assert.ThrowsAsync<OscoreStoreException>(async () =>
            await cluster.OscoreStore.ReserveAsync(s_key, epoch, 1_000, default));
        Assert.Equal(OscoreStoreFault.Superseded, exception.Fault);
    }

    private async Task<CoapCluster> NodeAsync()
    {
        CoapCluster cluster = new(_memory.Open(), ClusterTests.Options(FromHours(1)));
        await cluster.StartAsync();
        return cluster;
    }
}
