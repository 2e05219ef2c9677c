using System.Runtime.InteropServices;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Stores;

namespace CoAP.NET.Cluster.Tests.Stores;

/// <summary>What every engine of <see cref="ICoapClusterStore"/> does. Each test has data of its own.</summary>
public abstract class StoreSuite : IAsyncLifetime
{
    // Longer than any test, as not every engine has virtual time.
    private protected static readonly TimeSpan Lease = FromMinutes(10);
    private protected static readonly CoapSlot One = new(1);
    private protected static readonly CoapSlot Two = new(2);

    // Against hanging only.
    private readonly CancellationTokenSource _guard = new(FromMinutes(5));
    private readonly List<ICoapClusterStore> _stores = [];

    private protected CancellationToken Token => _guard.Token;

    public virtual ValueTask InitializeAsync() => ValueTask.CompletedTask;

    public virtual async ValueTask DisposeAsync()
    {
        foreach (ICoapClusterStore store in _stores)
        {
            await store.DisposeAsync();
        }

        _guard.Dispose();
    }

    /// <summary>A store on the data of this test, for one node.</summary>
    private protected abstract ICoapClusterStore OpenStore();

    /// <summary>Lets the time of the store pass.</summary>
    private protected abstract Task PassAsync(TimeSpan time);

    private protected ICoapClusterStore Open()
    {
        ICoapClusterStore store = OpenStore();
        _stores.Add(store);
        return store;
    }

    [Fact]
    public async Task A_new_store_has_only_the_joining_node_and_no_slot_owners()
    {
        ICoapClusterStore store = Open();
        CoapClusterNode self = Node("coap+tcp://127.0.0.1:5690");

        CoapClusterSlotMap map = await store.JoinAsync(self, Lease, Token);

        Assert.Equal([self], map.Nodes);
        Assert.Equal(0, map.Version);
        Assert.All(CoapSlot.All, slot => Assert.Equal(default, map[slot]));
        Assert.Equal(CoapSlot.Count, map.Orphans().Count);
    }

    [Fact]
    public async Task A_node_takes_slots_and_each_new_owner_gets_a_higher_fence()
    {
        ICoapClusterStore store = Open();
        CoapClusterNode self = Node();
        CoapClusterSlotMap map = await store.JoinAsync(self, Lease, Token);

        Assert.True(await store.TryChangeAsync(map.Assign(self.Id, [One, Two]), Token));
        map = await store.JoinAsync(self, Lease, Token);
        Assert.Equal(1, map.Version);
        Assert.Equal(new CoapSlotOwner(self.Id, new CoapFencingToken(1)), map[One]);
        Assert.Equal([One, Two], map.SlotsOf(self.Id));

        Assert.True(await store.TryChangeAsync(map.Assign(CoapNodeId.New(), [One]), Token));
        map = await store.JoinAsync(self, Lease, Token);
        Assert.Equal(new CoapFencingToken(2), map[One].Fence);
        Assert.Equal([Two], map.SlotsOf(self.Id));
        Assert.Contains(One, map.Orphans());
    }

    [Fact]
    public async Task A_node_that_joins_again_replaces_its_earlier_data()
    {
        ICoapClusterStore store = Open();
        CoapClusterNode self = Node();
        Assert.Equal([self], (await store.JoinAsync(self, Lease, Token)).Nodes);

        self = self with { Address = "coaps+tcp://127.0.0.1:5690", IsLeaving = true };
        Assert.Equal([self], (await store.JoinAsync(self, Lease, Token)).Nodes);
    }

    [Fact]
    public async Task Only_the_first_of_two_changes_of_the_same_map_succeeds()
    {
        ICoapClusterStore store = Open();
        CoapClusterNode self = Node();
        CoapClusterSlotMap seen = await store.JoinAsync(self, Lease, Token);

        Assert.True(await store.TryChangeAsync(seen.Assign(self.Id, [One]), Token));
        Assert.False(await store.TryChangeAsync(seen.Assign(CoapNodeId.New(), [One, Two]), Token));

        CoapClusterSlotMap map = await store.JoinAsync(self, Lease, Token);
        Assert.Equal([One], map.SlotsOf(self.Id));
        Assert.Equal(default, map[Two]);
    }

    [Fact]
    public async Task A_record_is_read_and_found_as_it_was_written()
    {
        (ICoapClusterStore store, CoapFencingToken fence) = await OwnerAsync();
        CoapRecordKey key = Key("a");

        await WriteAsync(store, CoapRecordWrite.Put(key, fence, new byte[] { 1, 0, 255 }, Timeout.InfiniteTimeSpan));

        CoapRecord found = Assert.IsType<CoapRecord>(await store.FindAsync(key, Token));
        CoapRecord read = Assert.Single(await ReadAsync(store));
        Assert.All((CoapRecord[])[found, read], record =>
        {
            Assert.Equal(key, record.Key);
            Assert.Equal(fence, record.Fence);
            Assert.Equal([1, 0, 255], record.State.ToArray());
            Assert.Equal(Timeout.InfiniteTimeSpan, record.Lifetime);
        });
    }

    [Fact]
    public async Task A_put_replaces_an_existing_record_and_a_removal_removes_it()
    {
        (ICoapClusterStore store, CoapFencingToken fence) = await OwnerAsync();

        await WriteAsync(store, Put("a", fence, "first"), Put("b", fence, "other"));
        await WriteAsync(store, Put("a", fence, "second"));
        Assert.Equal(["b=other", "a=second"], await TextsAsync(store), Unordered);

        // What is not there is gone too.
        await WriteAsync(store, CoapRecordWrite.Remove(Key("a"), fence), CoapRecordWrite.Remove(Key("never"), fence));
        Assert.Equal(["b=other"], await TextsAsync(store));
        Assert.Null(await store.FindAsync(Key("a"), Token));
    }

    [Fact]
    public async Task A_reader_may_overwrite_the_memory_of_a_record()
    {
        (ICoapClusterStore store, CoapFencingToken fence) = await OwnerAsync();
        await WriteAsync(store, Put("a", fence, "first"), Put("b", fence, "second"));

        foreach (CoapRecord record in await ReadAsync(store))
        {
            MemoryMarshal.AsMemory(record.State).Span.Clear();
        }

        MemoryMarshal.AsMemory((await store.FindAsync(Key("a"), Token))!.State).Span.Fill(255);

        Assert.Equal(["a=first", "b=second"], await TextsAsync(store), Unordered);
    }

    [Fact]
    public async Task Records_of_another_kind_slot_or_name_are_different_records()
    {
        (ICoapClusterStore store, CoapFencingToken fence) = await OwnerAsync();
        CoapRecordKey[] keys =
        [
            Key("a"), Key("b"), Key("aa"), Key("a", CoapRecordKind.Observer), Key("a", slot: Two),
            new CoapRecordKey(CoapRecordKind.Session, One, [0]), new CoapRecordKey(CoapRecordKind.Session, One, [0, 0]),
        ];

        await WriteAsync(store, [.. keys.Select((key, i) =>
            CoapRecordWrite.Put(key, fence, new[] { (byte)i }, Timeout.InfiniteTimeSpan))]);

        for (int i = 0; i < keys.Length; i++)
        {
            Assert.Equal([(byte)i], (await store.FindAsync(keys[i], Token))!.State.ToArray());
        }

        Assert.Equal(5, (await ReadAsync(store)).Count);
        Assert.Single(await ReadAsync(store, Two));
    }

    [Fact]
    public async Task A_stale_write_is_refused_and_the_rest_of_its_batch_is_written()
    {
        (ICoapClusterStore store, CoapFencingToken fence) = await OwnerAsync();
        await WriteAsync(store, Put("kept", fence, "old"), Put("removed", fence, "old"));
        CoapFencingToken newer = await MoveAsync(store, One);

        CoapWriteResult result = await store.WriteAsync(
            (CoapRecordWrite[])
            [
                Put("kept", fence, "stale"), CoapRecordWrite.Remove(Key("removed"), fence), Put("new", fence, "stale"),
                CoapRecordWrite.Put(Key("held", slot: Two), fence, "other slot"u8.ToArray(), Timeout.InfiniteTimeSpan),
                Put("newer", newer, "held"), Put("tooNew", newer.Next(), "no such fence yet"),
            ],
            Token);

        Assert.Equal(6, result.Count);
        Assert.Equal(4, result.FencedCount);
        Assert.Equal([CoapWriteOutcome.Fenced, CoapWriteOutcome.Fenced, CoapWriteOutcome.Fenced, CoapWriteOutcome.Written,
            CoapWriteOutcome.Written, CoapWriteOutcome.Fenced], Enumerable.Range(0, 6).Select(i => result[i]));
        Assert.Equal(["kept=old", "removed=old", "newer=held"], await TextsAsync(store), Unordered);
        Assert.NotNull(await store.FindAsync(Key("held", slot: Two), Token));
    }

    [Fact]
    public async Task A_write_to_a_slot_without_an_owner_is_refused()
    {
        ICoapClusterStore store = Open();
        await store.JoinAsync(Node(), Lease, Token);

        CoapWriteResult result = await store.WriteAsync(
            (CoapRecordWrite[])[Put("a", default, "no fence"), Put("b", new CoapFencingToken(1), "a fence of nobody")], Token);

        Assert.Equal(2, result.FencedCount);
        Assert.Empty(await ReadAsync(store));
    }

    [Fact]
    public async Task Records_stay_when_their_slot_moves_and_have_the_fence_of_their_writer()
    {
        (ICoapClusterStore store, CoapFencingToken fence) = await OwnerAsync();
        await WriteAsync(store, Put("a", fence, "state"));

        CoapFencingToken newer = await MoveAsync(store, One);

        Assert.Equal(fence, Assert.Single(await ReadAsync(store)).Fence);
        await WriteAsync(store, Put("a", newer, "taken over"));
        Assert.Equal(newer, Assert.Single(await ReadAsync(store)).Fence);
    }

    [Fact]
    public async Task A_batch_may_have_from_no_changes_to_ten_thousand()
    {
        (ICoapClusterStore store, CoapFencingToken fence) = await OwnerAsync();

        Assert.Equal(0, (await store.WriteAsync(ReadOnlyMemory<CoapRecordWrite>.Empty, Token)).Count);
        await WriteAsync(store, Put("one", fence, "x"));
        CoapRecordWrite[] batch = [.. Enumerable.Range(0, RecordBatchValidator.MaxCount).Select(i => Put(Name(i), fence, "x"))];
        await WriteAsync(store, batch);
        Assert.Equal(RecordBatchValidator.MaxCount + 1, (await ReadAsync(store)).Select(record => record.Key).Distinct().Count());

        await WriteAsync(store, [.. batch.Select(change => CoapRecordWrite.Remove(change.Key, fence))]);
        Assert.Equal(["one=x"], await TextsAsync(store));
    }

    [Fact]
    public async Task An_invalid_batch_is_refused_as_a_whole()
    {
        (ICoapClusterStore store, CoapFencingToken fence) = await OwnerAsync();

        await Assert.ThrowsAsync<ArgumentException>(async () =>
            await store.WriteAsync((CoapRecordWrite[])[Put("a", fence, "1"), Put("a", fence, "2")], Token));
        await Assert.ThrowsAsync<ArgumentException>(async () => await store.WriteAsync(
            (CoapRecordWrite[])[.. Enumerable.Range(0, RecordBatchValidator.MaxCount + 1).Select(i => Put(Name(i), fence, "x"))], Token));
        await Assert.ThrowsAsync<ArgumentException>(async () => await store.WriteAsync(new CoapRecordWrite[1], Token));
        byte[] large = new byte[CoapSealedClusterStore.MaxStateLength];
        await Assert.ThrowsAsync<ArgumentException>(async () => await store.WriteAsync((CoapRecordWrite[])
            [.. Enumerable.Range(0, 257).Select(i => CoapRecordWrite.Put(Key(Name(i)), fence, large, Timeout.InfiniteTimeSpan))], Token));
        await Assert.ThrowsAsync<ArgumentException>(async () =>
            await store.WriteAsync((CoapRecordWrite[])[PutNumbers("a", fence, new byte[15])], Token));

        Assert.Empty(await ReadAsync(store));
    }

    [Fact]
    public async Task The_longest_keys_and_states_and_empty_states_are_stored()
    {
        (ICoapClusterStore store, CoapFencingToken fence) = await OwnerAsync();
        CoapRecordKey key = new(CoapRecordKind.Outbox, One, [.. Enumerable.Range(0, CoapRecordKey.MaxLength).Select(i => (byte)i)]);
        byte[] state = [.. Enumerable.Range(0, CoapSealedClusterStore.MaxStateLength).Select(i => (byte)(i * 7))];

        await WriteAsync(store, CoapRecordWrite.Put(key, fence, state, Timeout.InfiniteTimeSpan), Put("empty", fence, ""));

        Assert.Equal(state, (await store.FindAsync(key, Token))!.State.ToArray());
        Assert.Equal(0, (await store.FindAsync(Key("empty"), Token))!.State.Length);
    }

    [Fact]
    public async Task Unchanged_records_are_read_exactly_once_during_concurrent_writes()
    {
        (ICoapClusterStore store, CoapFencingToken fence) = await OwnerAsync();
        await WriteAsync(store, [.. Enumerable.Range(0, 2_000).Select(i => Put(Name(i), fence, "old"))]);

        List<string> read = [];
        await foreach (CoapRecord record in store.ReadAsync(CoapRecordKind.Session, One, Token))
        {
            if (read.Count == 0)
            {
                // Even ones are changed or removed, and others come.
                await WriteAsync(store, [.. Enumerable.Range(0, 1_000).Select(i => i % 2 == 0
                    ? Put(Name(2 * i), fence, "new")
                    : CoapRecordWrite.Remove(Key(Name(2 * i)), fence))]);
                await WriteAsync(store, [.. Enumerable.Range(2_000, 500).Select(i => Put(Name(i), fence, "added"))]);
            }

            read.Add(Encoding.UTF8.GetString(record.Key.Bytes.Span));
        }

        Assert.Equal(read.Distinct().Count(), read.Count);
        Assert.Empty(Enumerable.Range(0, 1_000).Select(i => Name((2 * i) + 1)).Except(read));
    }

    [Fact]
    public async Task A_record_lasts_for_its_lifetime_by_the_clock_of_the_store()
    {
        (ICoapClusterStore store, CoapFencingToken fence) = await OwnerAsync();
        await WriteAsync(store, PutFor("short", fence, FromMinutes(10)), PutFor("renewed", fence, FromMinutes(10)),
            PutFor("long", fence, FromDays(2)), Put("always", fence, ""));
        TimeSpan left = (await store.FindAsync(Key("short"), Token))!.Lifetime;
        Assert.InRange(left, FromMinutes(1), FromMinutes(10));

        await PassAsync(FromMinutes(5));
        await WriteAsync(store, PutFor("renewed", fence, FromDays(1)));
        await PassAsync(FromMinutes(6));

        Assert.Null(await store.FindAsync(Key("short"), Token));
        Assert.Equal(["renewed", "long", "always"],
            (await ReadAsync(store)).Select(record => Encoding.UTF8.GetString(record.Key.Bytes.Span)), Unordered);
        Assert.Equal(1, await store.RemoveExpiredAsync(Token));
        Assert.Equal(0, await store.RemoveExpiredAsync(Token));
        Assert.Equal(3, (await ReadAsync(store)).Count);
    }

    // A context without its numbers would begin at 0 again, so they have no end and stay as they are, whatever comes after the bound.
    [Fact]
    public async Task OSCORE_numbers_are_stored_replaced_and_removed_unchanged_and_never_expire()
    {
        (ICoapClusterStore store, CoapFencingToken fence) = await OwnerAsync();
        byte[] first = [.. BitConverter.GetBytes(0L), .. BitConverter.GetBytes(0L)];
        byte[] second = [0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 255, 254, 253, 252, 251, 7, 0, 255];
        await WriteAsync(store, PutNumbers("a", fence, first), PutNumbers("b", fence, second), Put("a", fence, "a session"));
        await WriteAsync(store, PutNumbers("a", fence, second), PutNumbers("c", fence, first));
        await WriteAsync(store, CoapRecordWrite.Remove(NumbersKey("c"), fence));
        await PassAsync(FromDays(2));

        Assert.Equal(0, await store.RemoveExpiredAsync(Token));
        Assert.Null(await store.FindAsync(NumbersKey("c"), Token));
        CoapRecord found = Assert.IsType<CoapRecord>(await store.FindAsync(NumbersKey("a"), Token));
        List<CoapRecord> read = [];
        await foreach (CoapRecord record in store.ReadAsync(CoapRecordKind.OscoreContext, One, Token))
        {
            read.Add(record);
        }

        Assert.Equal(["a", "b"], read.Select(record => Encoding.UTF8.GetString(record.Key.Bytes.Span)), Unordered);
        Assert.All((CoapRecord[])[found, .. read], record =>
        {
            Assert.Equal((CoapRecordKind.OscoreContext, One, fence), (record.Key.Kind, record.Key.Slot, record.Fence));
            Assert.Equal(second, record.State.ToArray());
            Assert.Equal(Timeout.InfiniteTimeSpan, record.Lifetime);
        });
        Assert.Equal(["a=a session"], await TextsAsync(store));

        CoapFencingToken newer = await MoveAsync(store, One);
        Assert.Equal(1, (await store.WriteAsync((CoapRecordWrite[])[PutNumbers("a", fence, first)], Token)).FencedCount);
        Assert.Equal(1, (await store.WriteAsync((CoapRecordWrite[])[CoapRecordWrite.Remove(NumbersKey("b"), fence)], Token)).FencedCount);
        await WriteAsync(store, PutNumbers("a", newer, second));
        Assert.Equal(newer, (await store.FindAsync(NumbersKey("a"), Token))!.Fence);
        Assert.Equal(second, (await store.FindAsync(NumbersKey("b"), Token))!.State.ToArray());
    }

    [Fact]
    public async Task A_restarted_store_has_everything_except_the_node()
    {
        (ICoapClusterStore store, CoapFencingToken fence) = await OwnerAsync();
        await WriteAsync(store, Put("a", fence, "state"), PutNumbers("a", fence, new byte[16]));
        await store.DisposeAsync();

        store = Open();
        Assert.NotNull(await store.FindAsync(NumbersKey("a"), Token));
        CoapClusterNode self = Node();
        CoapClusterSlotMap map = await store.JoinAsync(self, Lease, Token);

        Assert.Equal([self], map.Nodes);
        Assert.Equal(1, map.Version);
        Assert.Equal(fence, map[One].Fence);
        Assert.Contains(One, map.Orphans());
        Assert.Equal(["a=state"], await TextsAsync(store));
        Assert.True(await store.TryChangeAsync(map.Assign(self.Id, map.Orphans()), Token));
        Assert.Equal(1, (await store.WriteAsync((CoapRecordWrite[])[Put("a", fence, "of before")], Token)).FencedCount);
        await WriteAsync(store, Put("a", fence.Next(), "taken over"));
    }

    [Fact]
    public async Task Writes_take_effect_in_the_order_of_the_calls()
    {
        (ICoapClusterStore store, CoapFencingToken fence) = await OwnerAsync();
        List<Task<CoapWriteResult>> writes = [];
        for (int i = 0; i < 200; i++)
        {
            writes.Add(store.WriteAsync((CoapRecordWrite[])[Put("a", fence, Name(i)), Put($"b{i % 7}", fence, Name(i))], Token).AsTask());
        }

        await Task.WhenAll(writes);

        Assert.All(writes, write => Assert.Equal(0, write.Result.FencedCount));
        Assert.Equal(
            [.. Enumerable.Range(0, 7).Select(rest => $"b{rest}={Name(Enumerable.Range(0, 200).Last(i => i % 7 == rest))}"),
                $"a={Name(199)}"],
            await TextsAsync(store), Unordered);
    }

    [Fact]
    public async Task A_cancelled_write_never_undoes_a_later_write()
    {
        (ICoapClusterStore store, CoapFencingToken fence) = await OwnerAsync();
        for (int i = 0; i < 20; i++)
        {
            using CancellationTokenSource cancel = new();
            Task<CoapWriteResult> cancelled = store.WriteAsync((CoapRecordWrite[])[Put("a", fence, "cancelled")], cancel.Token).AsTask();
            await cancel.CancelAsync();
            await WriteAsync(store, Put("a", fence, "later"));

            Assert.Equal(["a=later"], await TextsAsync(store));
            await Assert.ThrowsAnyAsync<OperationCanceledException>(async () =>
            {
                await cancelled;
                throw new OperationCanceledException("It was quicker than the cancellation.");
            });
        }

        using CancellationTokenSource before = new();
        await before.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () =>
            await store.WriteAsync((CoapRecordWrite[])[Put("b", fence, "")], before.Token));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await store.FindAsync(Key("a"), before.Token));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () =>
            await store.ReadAsync(CoapRecordKind.Session, One, before.Token).GetAsyncEnumerator(before.Token).MoveNextAsync());
        Assert.Equal(["a=later"], await TextsAsync(store));
    }

    [Fact]
    public async Task A_watch_shows_the_current_map_and_its_changes()
    {
        ICoapClusterStore store = Open();
        CoapClusterNode self = Node();
        CoapClusterSlotMap map = await store.JoinAsync(self, Lease, Token);
        await using IAsyncEnumerator<CoapClusterSlotMap> watch = store.WatchAsync(Token).GetAsyncEnumerator(Token);
        await UntilAsync(watch, seen => seen.IsThere(self.Id));

        Assert.True(await store.TryChangeAsync(map.Assign(self.Id, [One]), Token));

        CoapClusterSlotMap changed = await UntilAsync(watch, seen => seen.Version == 1);
        Assert.Equal([One], changed.SlotsOf(self.Id));
    }

    [Fact]
    public async Task A_store_belongs_to_a_single_node()
    {
        ICoapClusterStore store = Open();
        await store.JoinAsync(Node(), Lease, Token);

        await Assert.ThrowsAsync<InvalidOperationException>(async () => await store.JoinAsync(Node(), Lease, Token));
        await Assert.ThrowsAsync<ArgumentException>(async () => await store.JoinAsync(new CoapClusterNode(default, ""), Lease, Token));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(async () =>
            await store.JoinAsync(Node(), FromMilliseconds(1), Token));
    }

    [Fact]
    public async Task A_disposed_store_refuses_all_calls_and_ends_its_watches()
    {
        (ICoapClusterStore store, CoapFencingToken fence) = await OwnerAsync();
        CoapClusterSlotMap map = CoapClusterSlotMap.Empty.Assign(CoapNodeId.New(), [One]);
        await using IAsyncEnumerator<CoapClusterSlotMap> watch = store.WatchAsync(Token).GetAsyncEnumerator(Token);
        Assert.True(await watch.MoveNextAsync());
        Task<CoapWriteResult> underWay = store.WriteAsync((CoapRecordWrite[])[Put("a", fence, "last")], Token).AsTask();

        await store.DisposeAsync();
        await store.DisposeAsync();

        // What was asked for before has ended, one way or the other.
        try
        {
            await underWay;
        }
        catch (ObjectDisposedException)
        {
        }

        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await UntilAsync(watch, _ => false));
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await store.JoinAsync(Node(), Lease, Token));
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await store.TryChangeAsync(map, Token));
        await Assert.ThrowsAsync<ObjectDisposedException>(async () =>
            await store.WriteAsync((CoapRecordWrite[])[Put("a", fence, "")], Token));
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await store.FindAsync(Key("a"), Token));
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await ReadAsync(store));
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await store.RemoveExpiredAsync(Token));
        await Assert.ThrowsAsync<ObjectDisposedException>(async () =>
            await store.WatchAsync(Token).GetAsyncEnumerator(Token).MoveNextAsync());
    }

    private protected static IEqualityComparer<IEnumerable<string>> Unordered { get; } = EqualityComparer<IEnumerable<string>>.Create(
        (left, right) => left!.Order(StringComparer.Ordinal).SequenceEqual(right!.Order(StringComparer.Ordinal)));

    private protected static CoapClusterNode Node(string address = "") => new(CoapNodeId.New(), address);

    private protected static CoapRecordKey Key(string name, CoapRecordKind kind = CoapRecordKind.Session, CoapSlot? slot = null) =>
        new(kind, slot ?? One, Encoding.UTF8.GetBytes(name));

    private protected static CoapRecordWrite Put(string name, CoapFencingToken fence, string state) =>
        CoapRecordWrite.Put(Key(name), fence, Encoding.UTF8.GetBytes(state), Timeout.InfiniteTimeSpan);

    private protected static CoapRecordKey NumbersKey(string name) => Key(name, CoapRecordKind.OscoreContext);

    private protected static CoapRecordWrite PutNumbers(string name, CoapFencingToken fence, byte[] state) =>
        CoapRecordWrite.Put(NumbersKey(name), fence, state, Timeout.InfiniteTimeSpan);

    private protected static string Name(int number) => number.ToString(CultureInfo.InvariantCulture);

    /// <summary>A store whose node has the slots One and Two, under the same fence.</summary>
    private protected async Task<(ICoapClusterStore Store, CoapFencingToken Fence)> OwnerAsync()
    {
        ICoapClusterStore store = Open();
        CoapClusterNode self = Node();
        CoapClusterSlotMap map = await store.JoinAsync(self, Lease, Token);
        CoapClusterSlotMap taken = map.Assign(self.Id, [One, Two]);
        Assert.True(await store.TryChangeAsync(taken, Token));
        return (store, taken[One].Fence);
    }

    /// <summary>Gives a slot to somebody else.</summary>
    private protected async Task<CoapFencingToken> MoveAsync(ICoapClusterStore store, CoapSlot slot)
    {
        await foreach (CoapClusterSlotMap map in store.WatchAsync(Token))
        {
            CoapClusterSlotMap moved = map.Assign(CoapNodeId.New(), [slot]);
            if (await store.TryChangeAsync(moved, Token))
            {
                return moved[slot].Fence;
            }
        }

        throw new InvalidOperationException("The map ended.");
    }

    private protected async Task WriteAsync(ICoapClusterStore store, params CoapRecordWrite[] batch) =>
        Assert.Equal(0, (await store.WriteAsync(batch, Token)).FencedCount);

    private protected async Task<List<CoapRecord>> ReadAsync(ICoapClusterStore store, CoapSlot? slot = null)
    {
        List<CoapRecord> records = [];
        await foreach (CoapRecord record in store.ReadAsync(CoapRecordKind.Session, slot ?? One, Token))
        {
            records.Add(record);
        }

        return records;
    }

    private protected async Task<string[]> TextsAsync(ICoapClusterStore store) =>
        [.. (await ReadAsync(store)).Select(record =>
            $"{Encoding.UTF8.GetString(record.Key.Bytes.Span)}={Encoding.UTF8.GetString(record.State.Span)}")];

    private protected static async Task FailsAsync(CoapClusterStoreFault fault, Func<Task> call, params string[] says)
    {
        CoapClusterStoreException exception = await Assert.ThrowsAsync<CoapClusterStoreException>(call);
        Assert.Equal(fault, exception.Fault);
        Assert.All(says, part => exception.Mentions(part));
    }

    private protected static async Task<CoapClusterSlotMap> UntilAsync(
        IAsyncEnumerator<CoapClusterSlotMap> watch, Func<CoapClusterSlotMap, bool> condition)
    {
        do
        {
            Assert.True(await watch.MoveNextAsync());
        }
        while (!condition(watch.Current));

        return watch.Current;
    }

    private static CoapRecordWrite PutFor(string name, CoapFencingToken fence, TimeSpan lifetime) =>
        CoapRecordWrite.Put(Key(name), fence, "state"u8.ToArray(), lifetime);
}
