using CoAP.NET.Cluster.Maps;
using static CoAP.NET.Cluster.Tests.Tables.TableExtensions;

namespace CoAP.NET.Cluster.Tests.Tables;

public sealed class MemoryTableTests : IAsyncDisposable
{
    private readonly VirtualClock _clock = new();
    private readonly NoteRules _rules = new();
    private readonly CoapReplicatedTable _table;

    public MemoryTableTests() => _table = CoapReplicatedTable.InMemory(_rules, _clock);

    [Fact]
    public async Task The_rules_see_the_current_entry_and_their_decision_takes_effect_before_the_reply()
    {
        Task start = _table.StartAsync();
        Assert.True(start.IsCompletedSuccessfully);
        ValueTask<ReadOnlyMemory<byte>> first = _table.RequestAsync(Key(1), "put one"u8.ToArray());
        Assert.True(first.IsCompletedSuccessfully);
        Assert.Equal("nothing"u8.ToArray(), (await first).ToArray());
        Assert.Equal("one", _rules.Told[Key(1)]);
        Assert.Equal((1, 4L), (_table.Count, _table.Bytes));

        Assert.Equal("one", await _table.AskAsync(Key(1), "add +two"));
        Assert.Equal("one+two", await _table.AskAsync(Key(1), "read"));
        Assert.Equal("nothing", await _table.AskAsync(Key(1, "other"), "quick three"));
        Assert.Equal((2, 19L), (_table.Count, _table.Bytes));
        Assert.Equal("one+two", await _table.AskAsync(Key(1), "remove"));
        Assert.Equal("nothing", await _table.AskAsync(Key(1), "remove"));
        Assert.Equal((1, 11L), (_table.Count, _table.Bytes));
        Assert.Equal(
            [(Key(1), "one", false), (Key(1), "one+two", false), (Key(1, "other"), "three", false), (Key(1), null, false)],
            _rules.Changes);
    }

    [Fact]
    public async Task Entries_expire_after_their_lifetimes_by_a_single_timer_in_any_order_and_slot()
    {
        for (int i = 0; i < 1000; i++)
        {
            await _table.AskAsync(Key(i % 256, $"{i}"), $"put {1 + (i * 7 % 1000)} text");
        }

        await _table.AskAsync(Key(3), "put forever");
        Assert.Equal((1001, 1), (_table.Count, _clock.TimerCount));
        for (int second = 1; second <= 1000; second++)
        {
            Assert.Equal(1002 - second, _table.Count);
            _clock.Advance(FromSeconds(1));
        }

        Assert.Equal((1, 0), (_table.Count, _clock.TimerCount));
        Assert.Equal(1000, _rules.Changes.Count(change => change is { Value: null, IsExpired: true }));
        Assert.Equal("forever", Assert.Single(_rules.Told).Value);
    }

    [Fact]
    public async Task A_put_restarts_the_lifetime_and_expired_entries_are_hidden_from_the_rules()
    {
        await _table.AskAsync(Key(1), "put 10 text");
        _clock.Advance(FromSeconds(9));
        Assert.Equal("1", await _table.AskAsync(Key(1), "left"));
        Assert.Equal("text", await _table.AskAsync(Key(1), "put 10 text"));
        _clock.Advance(FromSeconds(9));
        Assert.Equal("text", await _table.AskAsync(Key(1), "put 4000000 text"));

        // Timers of the system wait for less than 50 days.
        _clock.Advance(FromSeconds(3_999_999));
        Assert.Equal((1, "1"), (_table.Count, await _table.AskAsync(Key(1), "left")));
        _clock.Advance(FromSeconds(1));
        Assert.Equal((0, "nothing"), (_table.Count, await _table.AskAsync(Key(1), "read")));
        Assert.Equal("0", await _table.AskAsync(Key(1), "left"));
    }

    [Fact]
    public void Concurrent_questions_for_the_same_slot_are_decided_sequentially()
    {
        const int Each = 2000;
        Thread[] threads = [.. Enumerable.Range(0, 4).Select(_ => new Thread(() =>
        {
            for (int i = 0; i < Each; i++)
            {
                Assert.True(_table.RequestAsync(Key(1), "add x"u8.ToArray()).AsTask().IsCompletedSuccessfully);
            }
        }))];
        Array.ForEach(threads, thread => thread.Start());
        Array.ForEach(threads, thread => thread.Join());
        Assert.Equal(4 * Each, _rules.Told[Key(1)].Length);
        Assert.Equal(Enumerable.Range(1, 4 * Each), _rules.Changes.Select(change => change.Value!.Length));
    }

    [Fact]
    public async Task A_full_table_refuses_growth_and_the_error_names_the_limit()
    {
        await using CoapReplicatedTable table =
            CoapReplicatedTable.InMemory(_rules, _clock, new CoapReplicatedTableOptions { MaxBytes = 4096 });
        await table.AskAsync(Key(1), "put " + new string('a', 4000));
        CoapTableUnavailableException full = await Assert.ThrowsAsync<CoapTableUnavailableException>(
            async () => await table.AskAsync(Key(2), "put " + new string('b', 95)));
        Assert.Equal((CoapTableUnavailableReason.Full, false), (full.Reason, full.IsOutcomeUnknown));
        full.Mentions("4001 bytes of at most 4096 (CoapReplicatedTableOptions.MaxBytes)");
        Assert.True(full.RetryAfter > TimeSpan.Zero);
        Assert.Equal((1, "nothing"), (table.Count, await table.AskAsync(Key(2), "put " + new string('b', 94))));
        Assert.Equal(4096, table.Bytes);

        // What needs no more room is taken.
        await table.AskAsync(Key(1), "put " + new string('c', 4000));
        await table.AskAsync(Key(1), "remove");
        Assert.Equal("nothing", await table.AskAsync(Key(3), "put short"));
    }

    [Fact]
    public async Task Rules_that_throw_change_nothing_and_exceptions_of_their_notifications_are_logged()
    {
        StringWriterLogger log = new();
        await using CoapReplicatedTable table = CoapReplicatedTable.InMemory(_rules, _clock, logger: log);
        await Assert.ThrowsAsync<InvalidOperationException>(async () => await table.AskAsync(Key(1), "dance"));
        Assert.Equal(0, table.Count);

        _rules.OnTold = _ => throw new InvalidOperationException("They do not like it.");
        Assert.Equal("nothing", await table.AskAsync(Key(1), "put text"));
        Assert.Equal("text", await table.AskAsync(Key(1), "put other"));
        Assert.Equal(1, table.Count);
        log.ToString().Mentions("They do not like it.");
    }

    [Fact]
    public async Task Rules_that_call_the_table_get_an_error()
    {
        _rules.OnDecide = question => _table.RequestAsync(question.Key, default).AsTask().GetAwaiter().GetResult();
        InvalidOperationException fault = await Assert.ThrowsAsync<InvalidOperationException>(
            async () => await _table.AskAsync(Key(1), "read"));
        fault.Mentions("afterwards, on another thread");
    }

    [Fact]
    public async Task Invalid_keys_questions_and_values_are_refused()
    {
        await Assert.ThrowsAsync<ArgumentException>(async () => await _table.RequestAsync(default, default));
        await Assert.ThrowsAsync<ArgumentException>(
            async () => await _table.RequestAsync(Key(1), new byte[CoapReplicatedTable.MaxQuestionLength + 1]));
        Assert.Throws<ArgumentOutOfRangeException>(() => new CoapTableKey([]));
        Assert.Throws<ArgumentOutOfRangeException>(() => new CoapTableKey(new byte[65]));
        Assert.Throws<ArgumentException>(() => CoapTableDecision.Put(new byte[CoapReplicatedTable.MaxValueLength + 1], FromSeconds(1)));
        Assert.Throws<ArgumentException>(() => CoapTableDecision.Keep(new byte[CoapReplicatedTable.MaxValueLength + 1]));
        Assert.Throws<ArgumentOutOfRangeException>(() => CoapTableDecision.Put(default, TimeSpan.Zero));
        Assert.Throws<ArgumentOutOfRangeException>(
            () => CoapReplicatedTable.InMemory(_rules, options: new CoapReplicatedTableOptions { MaxBytes = 1 }));
        await _table.DisposeAsync();
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await _table.AskAsync(Key(1), "read"));
    }

    [Fact]
    public void Keys_of_names_depend_on_the_secret_and_are_spread_over_the_slots()
    {
        CoapTableKey key = CoapTableKey.FromName("secret"u8, "meter-7"u8);
        Assert.Equal(CoapTableKey.HashLength, key.Bytes.Length);
        Assert.Equal(key, CoapTableKey.FromName("secret"u8, "meter-7"u8));
        Assert.NotEqual(key, CoapTableKey.FromName("other"u8, "meter-7"u8));
        Assert.NotEqual(_table.KeyOf("meter-7"u8), CoapReplicatedTable.InMemory(_rules).KeyOf("meter-7"u8));
        Assert.Equal(_table.KeyOf("meter-7"u8), _table.KeyOf("meter-7"u8));
        Assert.Equal(
            CoapSlot.Count,
            Enumerable.Range(0, 10_000).Select(i => _table.KeyOf(BitConverter.GetBytes(i)).Slot).Distinct().Count());
    }

    public ValueTask DisposeAsync() => _table.DisposeAsync();
}
