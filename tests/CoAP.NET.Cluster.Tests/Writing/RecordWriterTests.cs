using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Stores;
using CoAP.NET.Cluster.Writing;

namespace CoAP.NET.Cluster.Tests.Writing;

/// <summary>
/// Every step is an event: the store of these tests says which batch came, and the test says how it ended. Pauses have no length, but where
/// a test advances the clock.
/// </summary>
public sealed class RecordWriterTests
{
    private static readonly CoapFencingToken s_fence = new(1);

    private readonly ScriptedStore _store = new();

    [Fact]
    public async Task Changes_during_a_write_are_written_together_with_only_the_newest_of_each_record()
    {
        await using CoapRecordWriteQueue writer = Writer();
        Assert.True(writer.TryWrite(Put("a", "1")));
        ScriptedStore.Call first = await _store.NextAsync();
        foreach (string text in (string[])["a=2", "b=1", "a=3", "c=1", "b=2"])
        {
            Assert.True(writer.TryWrite(Put(text[..1], text[2..])));
        }

        Assert.Equal(["a=1"], first.Texts);
        first.Write();
        ScriptedStore.Call second = await _store.NextAsync();

        Assert.Equal(["a=3", "b=2", "c=1"], second.Texts.Order(StringComparer.Ordinal));
        second.Write();
        await writer.FlushAsync();
        CoapRecordWriterCounters counters = writer.GetCounters();
        Assert.Equal((0, 0L, 4L, 2L, 2L), (counters.Waiting, counters.WaitingBytes, counters.Written, counters.Replaced, counters.Batches));
    }

    [Fact]
    public async Task A_durable_write_completes_only_when_the_store_has_confirmed_it()
    {
        await using CoapRecordWriteQueue writer = Writer();
        Task<CoapWriteOutcome> promise = writer.WriteAsync(Put("a", "1"));
        ScriptedStore.Call call = await _store.NextAsync();
        Assert.False(promise.IsCompleted);

        call.Write();
        Assert.Equal(CoapWriteOutcome.Written, await promise);

        promise = writer.WriteAsync(Put("a", "2"));
        (await _store.NextAsync()).Write(CoapWriteOutcome.Fenced);
        Assert.Equal(CoapWriteOutcome.Fenced, await promise);
        Assert.Equal(1, writer.GetCounters().Fenced);
    }

    [Fact]
    public async Task A_change_under_a_newer_fence_fails_the_waiting_writes_under_the_older_fence()
    {
        await using CoapRecordWriteQueue writer = Writer();
        writer.TryWrite(Put("busy", ""));
        ScriptedStore.Call busy = await _store.NextAsync();
        Task<CoapWriteOutcome> older = writer.WriteAsync(Put("a", "1"));

        writer.TryWrite(CoapRecordWrite.Put(Key("a"), s_fence.Next(), "2"u8.ToArray(), Timeout.InfiniteTimeSpan));

        Assert.Equal(CoapWriteOutcome.Fenced, await older);
        busy.Write();
        (await _store.NextAsync()).Write();
    }

    [Fact]
    public async Task Durable_writes_are_written_first_and_hints_last()
    {
        await using CoapRecordWriteQueue writer = Writer(new CoapRecordWriterOptions { BatchSize = 2 });
        writer.TryWrite(Put("busy", ""));
        ScriptedStore.Call busy = await _store.NextAsync();
        writer.TryWrite(Put("hint", ""), isHint: true);
        writer.TryWrite(Put("state", ""));
        Task promise = writer.WriteAsync(Put("promise", ""));
        busy.Write();

        ScriptedStore.Call call = await _store.NextAsync();
        Assert.Equal(["promise=", "state="], call.Texts);
        call.Write();
        await promise;
        call = await _store.NextAsync();
        Assert.Equal(["hint="], call.Texts);
        call.Write();
    }

    [Fact]
    public async Task Writes_are_retried_while_the_store_is_unavailable_and_keep_their_order()
    {
        List<bool> degraded = [];
        await using CoapRecordWriteQueue writer = Writer();
        writer.HealthChanged += (_, _) => degraded.Add(writer.Health.IsDegraded);
        writer.HealthChanged += (_, _) => throw new InvalidOperationException("a listener of the test");
        Task<CoapWriteOutcome> promise = writer.WriteAsync(Put("a", "1"));
        ScriptedStore.Call call = await _store.NextAsync();
        writer.TryWrite(Put("b", "1"));

        // The newest state of a comes with the next try, and serves whoever waits for the older one.
        writer.TryWrite(Put("a", "2"));
        call.Fail();
        call = await _store.NextAsync();
        Assert.Equal(["a=2", "b=1"], call.Texts);
        Assert.True(writer.Health.IsDegraded);
        Assert.Equal(CoapClusterStoreFault.Unavailable, writer.Health.Failure!.Fault);
        Assert.False(promise.IsCompleted);

        call.Fail();
        call = await _store.NextAsync();
        Assert.Equal(["a=2", "b=1"], call.Texts);
        call.Write();

        Assert.Equal(CoapWriteOutcome.Written, await promise);
        await writer.FlushAsync();
        writer.TryWrite(Put("c", "1"));
        (await _store.NextAsync()).Write();
        await writer.FlushAsync();
        Assert.False(writer.Health.IsDegraded);
        Assert.Equal([true, false], degraded);
        Assert.Equal(2, writer.GetCounters().Failures);
    }

    [Fact]
    public async Task An_unexpected_exception_or_result_of_a_store_is_a_failure_that_is_retried()
    {
        await using CoapRecordWriteQueue writer = Writer();
        Task<CoapWriteOutcome> promise = writer.WriteAsync(Put("a", "1"));

        (await _store.NextAsync()).Fail(new InvalidOperationException("a defect of the store"));
        (await _store.NextAsync()).Answer(new CoapWriteResult([]));
        ScriptedStore.Call call = await _store.NextAsync();
        writer.Health.Failure!.Mentions("returned 0 outcomes");
        call.Write();

        Assert.Equal(CoapWriteOutcome.Written, await promise);
    }

    [Fact]
    public async Task Each_retry_waits_twice_as_long_up_to_the_maximum_regardless_of_new_changes()
    {
        VirtualClock clock = new();
        CoapRecordWriteQueue writer = new(_store, new CoapRecordWriterOptions
        {
            Interval = TimeSpan.Zero,
            FirstRetry = FromSeconds(1),
            LongestRetry = FromSeconds(3),
        }, clock);
        Task<CoapWriteOutcome> promise = writer.WriteAsync(Put("a", "1"));
        ScriptedStore.Call call = await _store.NextAsync();
        foreach (int seconds in (int[])[1, 2, 3, 3])
        {
            call.Fail();
            await TimerAsync(clock);
            writer.TryWrite(Put(seconds.ToString(CultureInfo.InvariantCulture), ""));
            Task<ScriptedStore.Call> next = _store.NextAsync();
            clock.Advance(FromSeconds(seconds) - FromTicks(1));
            Assert.Equal(1, clock.TimerCount);
            Assert.False(next.IsCompleted);

            clock.Advance(FromTicks(1));
            call = await next;
        }

        call.Write();
        Assert.Equal(CoapWriteOutcome.Written, await promise);
        await writer.DisposeAsync();
    }

    [Fact]
    public async Task Changes_are_collected_for_the_interval_but_a_durable_write_or_a_flush_does_not_wait()
    {
        VirtualClock clock = new();
        CoapRecordWriteQueue writer = new(_store, new CoapRecordWriterOptions { Interval = FromSeconds(1) }, clock);
        writer.TryWrite(Put("a", "1"));
        (await _store.NextAsync()).Write();
        await TimerAsync(clock);

        writer.TryWrite(Put("b", "1"));
        Task<ScriptedStore.Call> next = _store.NextAsync();
        clock.Advance(FromSeconds(1) - FromTicks(1));
        Assert.Equal(1, clock.TimerCount);
        writer.TryWrite(Put("c", "1"));
        clock.Advance(FromTicks(1));
        Assert.Equal(["b=1", "c=1"], (await next).Texts);
        (await next).Write();
        await TimerAsync(clock);

        // No time passes from here on.
        Task promise = writer.WriteAsync(Put("d", "1"));
        (await _store.NextAsync()).Write();
        await promise;
        writer.TryWrite(Put("e", "1"));
        Task flush = writer.FlushAsync();
        (await _store.NextAsync()).Write();
        await flush;
        await writer.DisposeAsync();
    }

    [Fact]
    public async Task A_full_writer_drops_hints_first_then_the_oldest_state_and_no_durable_write()
    {
        await using CoapRecordWriteQueue writer = Writer(new CoapRecordWriterOptions { MaxRecords = 100 });
        writer.TryWrite(Put("busy", ""));
        ScriptedStore.Call busy = await _store.NextAsync();
        Task<CoapWriteOutcome>[] promises = [.. Enumerable.Range(0, 40).Select(i => writer.WriteAsync(Put($"promise{i}", "")))];
        for (int i = 0; i < 30; i++)
        {
            Assert.True(writer.TryWrite(Put($"state{i}", "")));
        }

        for (int i = 0; i < 29; i++)
        {
            Assert.True(writer.TryWrite(Put($"hint{i}", ""), isHint: true));
        }

        // Full. A hint displaces the oldest hint, a state the next, and no state goes while there are hints.
        Assert.True(writer.TryWrite(Put("newHint", ""), isHint: true));
        for (int i = 30; i < 59; i++)
        {
            Assert.True(writer.TryWrite(Put($"state{i}", "")));
        }

        Assert.Equal(30, writer.GetCounters().Dropped);
        Assert.False(writer.TryWrite(Put("late", ""), isHint: true));
        Assert.True(writer.TryWrite(Put("state59", "")));

        // Promises displace everything but promises.
        promises = [.. promises, .. Enumerable.Range(40, 59).Select(i => writer.WriteAsync(Put($"promise{i}", "")))];
        CoapClusterStoreException exception =
            await Assert.ThrowsAsync<CoapClusterStoreException>(() => writer.WriteAsync(Put("promise99", "")));
        Assert.Equal(CoapClusterStoreFault.Busy, exception.Fault);
        Assert.False(writer.TryWrite(Put("state60", "")));
        Assert.Equal(100, writer.GetCounters().Waiting);
        Assert.Equal(1, writer.GetCounters().Refused);

        // A newer state of a record that waits needs no further room.
        Task<CoapWriteOutcome> again = writer.WriteAsync(Put("promise0", "newer"));
        busy.Write();
        ScriptedStore.Call call = await _store.NextAsync();
        Assert.Equal(99, call.Batch.Length);
        Assert.Contains("promise0=newer", call.Texts);
        call.Write();
        Assert.All(await Task.WhenAll([.. promises, again]), outcome => Assert.Equal(CoapWriteOutcome.Written, outcome));
    }

    [Fact]
    public async Task The_bytes_of_pending_changes_are_limited_and_a_refused_change_keeps_the_previous_one()
    {
        await using CoapRecordWriteQueue writer = Writer(new CoapRecordWriterOptions { MaxBytes = 64 << 10 });
        writer.TryWrite(Put("busy", ""));
        ScriptedStore.Call busy = await _store.NextAsync();
        Task<CoapWriteOutcome> first = writer.WriteAsync(Sized("a", 30_000));
        Task<CoapWriteOutcome> second = writer.WriteAsync(Sized("b", 30_000));

        await Assert.ThrowsAsync<CoapClusterStoreException>(() => writer.WriteAsync(Sized("a", 40_000)));
        Assert.False(writer.TryWrite(Sized("c", 40_000)));
        Assert.InRange(writer.GetCounters().WaitingBytes, 60_000, 64 << 10);
        busy.Write();
        ScriptedStore.Call call = await _store.NextAsync();

        Assert.Equal([30_000, 30_000], call.Batch.Select(change => change.State.Length));
        call.Write();
        Assert.Equal(CoapWriteOutcome.Written, await first);
        Assert.Equal(CoapWriteOutcome.Written, await second);
        await writer.FlushAsync();
        Assert.Equal(0, writer.GetCounters().WaitingBytes);
    }

    [Fact]
    public async Task Disposing_the_writer_writes_pending_changes_and_refuses_later_ones()
    {
        CoapRecordWriteQueue writer = Writer();
        writer.TryWrite(Put("a", "1"));
        ScriptedStore.Call call = await _store.NextAsync();
        writer.TryWrite(Put("b", "1"));
        Task end = writer.DisposeAsync().AsTask();

        Assert.False(writer.TryWrite(Put("c", "1")));
        await Assert.ThrowsAsync<CoapClusterStoreException>(() => writer.WriteAsync(Put("c", "1")));
        call.Write();
        call = await _store.NextAsync();
        Assert.Equal(["b=1"], call.Texts);
        Assert.False(end.IsCompleted);
        call.Write();
        await end;
        await writer.DisposeAsync();

        Assert.Equal(2, writer.GetCounters().Written);
    }

    [Fact]
    public async Task Disposing_the_writer_waits_at_most_for_StopTimeout_and_fails_waiting_writes()
    {
        VirtualClock clock = new();
        CoapRecordWriteQueue writer = new(_store, new CoapRecordWriterOptions { StopTimeout = FromSeconds(5) }, clock);
        Task<CoapWriteOutcome> promise = writer.WriteAsync(Put("a", "1"));
        await _store.NextAsync();
        writer.TryWrite(Put("b", "1"));
        Task flush = writer.FlushAsync();
        Task end = writer.DisposeAsync().AsTask();
        await TimerAsync(clock);

        clock.Advance(FromSeconds(5));
        await end;

        CoapClusterStoreException exception = await Assert.ThrowsAsync<CoapClusterStoreException>(() => promise);
        Assert.Equal(CoapClusterStoreFault.Unavailable, exception.Fault);
        await flush;
        Assert.Equal(2, writer.GetCounters().Dropped);
    }

    [Fact]
    public async Task A_cancelled_wait_does_not_cancel_the_change()
    {
        await using CoapRecordWriteQueue writer = Writer();
        using CancellationTokenSource cancel = new();
        Task<CoapWriteOutcome> promise = writer.WriteAsync(Put("a", "1"), cancel.Token);
        ScriptedStore.Call call = await _store.NextAsync();
        await cancel.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => promise);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => writer.WriteAsync(Put("b", "1"), cancel.Token));
        call.Write();
        await writer.FlushAsync();
        Assert.Equal(1, writer.GetCounters().Written);
    }

    [Fact]
    public void Invalid_options_are_refused()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => Writer(new CoapRecordWriterOptions { MaxRecords = 1 }));
        Assert.Throws<ArgumentOutOfRangeException>(() => Writer(new CoapRecordWriterOptions { MaxBytes = 1 }));
        Assert.Throws<ArgumentOutOfRangeException>(() => Writer(new CoapRecordWriterOptions { BatchSize = 10_001 }));
        Assert.Throws<ArgumentOutOfRangeException>(() =>
            new CoapRecordWriteQueue(_store, new CoapRecordWriterOptions { LongestRetry = FromMilliseconds(10) }));
    }

    private CoapRecordWriteQueue Writer(CoapRecordWriterOptions? options = null)
    {
        options ??= new CoapRecordWriterOptions();
        options.Interval = TimeSpan.Zero;
        options.FirstRetry = FromMilliseconds(1);
        return new CoapRecordWriteQueue(_store, options);
    }

    // Waits until the writer has set its timer, so that time cannot pass before it.
    private static Task TimerAsync(VirtualClock clock) => Eventually.IsTrueAsync(() => clock.TimerCount > 0);

    private static CoapRecordKey Key(string name) => new(CoapRecordKind.Session, new CoapSlot(1), Encoding.UTF8.GetBytes(name));

    private static CoapRecordWrite Put(string name, string state) =>
        CoapRecordWrite.Put(Key(name), s_fence, Encoding.UTF8.GetBytes(state), Timeout.InfiniteTimeSpan);

    private static CoapRecordWrite Sized(string name, int size) =>
        CoapRecordWrite.Put(Key(name), s_fence, new byte[size], Timeout.InfiniteTimeSpan);
}
