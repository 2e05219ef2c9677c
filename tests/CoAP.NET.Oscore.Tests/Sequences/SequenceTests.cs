using CoAP.NET.Oscore.Sequences;

namespace CoAP.NET.Oscore.Tests.Sequences;

public sealed class SequenceTests
{
    private static readonly OscoreStoreKey s_key = new(new byte[32]);

    private readonly VirtualClock _clock = new();
    private readonly VirtualScheduler _scheduler = new();
    private readonly ChaosStore _store = new();

    [Fact]
    [Rfc("8613-3.2.2-1")]
    public async Task The_first_number_of_a_new_context_is_0_and_is_issued_after_the_store_has_confirmed_it()
    {
        OscoreSequence sequence = await OpenAsync();
        Assert.Equal(SenderSequenceNumberResult.NotGranted, sequence.TryTake(out _));
        _scheduler.RunAll();
        Assert.Equal(SenderSequenceNumberResult.NotGranted, sequence.TryTake(out _));
        _store.EndAll(CallFate.Confirmed);
        Assert.Equal(SenderSequenceNumberResult.Taken, sequence.TryTake(out ulong number));
        Assert.Equal(0UL, number);
    }

    [Fact]
    [Rfc("8613-7.2-1")]
    public async Task A_waiting_caller_gets_the_next_number_when_the_store_has_confirmed()
    {
        OscoreSequence sequence = await OpenAsync();
        List<ulong> taken = [];
        while (taken.Count < 100)
        {
            if (sequence.TryTake(out ulong number) == SenderSequenceNumberResult.Taken)
            {
                taken.Add(number);
                continue;
            }

            Task waiting = sequence.WaitAsync(default);
            Assert.False(waiting.IsCompleted);
            _scheduler.RunAll();
            _store.EndAll(CallFate.Confirmed);
            Assert.True(waiting.IsCompletedSuccessfully);
        }

        Assert.Equal(Enumerable.Range(0, 100).Select(n => (ulong)n), taken);
    }

    [Fact]
    public async Task The_next_numbers_are_reserved_when_half_are_used_so_that_callers_do_not_wait()
    {
        OscoreSequence sequence = await OpenAsync();
        _ = sequence.TryTake(out _);
        _scheduler.RunAll();
        _store.EndAll(CallFate.Confirmed);
        for (ulong expected = 0; expected < 100_000; expected++)
        {
            Assert.Equal(SenderSequenceNumberResult.Taken, sequence.TryTake(out ulong number));
            Assert.Equal(expected, number);
            _scheduler.RunAll();
            _store.EndAll(CallFate.Confirmed);
        }

        // Steps grow with the rate: by 32 it would take 3,125 writes.
        Assert.InRange(_store.Reservations, 10, 25);
    }

    [Fact]
    public async Task Steps_shrink_when_numbers_are_used_slowly()
    {
        OscoreSequence sequence = await OpenAsync();
        Use(sequence, 50_000);
        int before = 0;
        for (int hour = 0; hour < 600; hour++)
        {
            before = hour == 500 ? _store.Reservations : before;
            _clock.Advance(FromHours(1));
            Use(sequence, 100);
        }

        // By the largest step, which a burst led to, there is none in a hundred hours, and a restart leaves out thousands.
        Assert.InRange(_store.Reservations - before, 50, 500);
    }

    [Fact]
    public async Task No_number_is_issued_while_the_store_fails_and_the_error_has_the_reason()
    {
        OscoreSequence sequence = await OpenAsync();
        Task<ulong> waiting = sequence.TakeAsync(default).AsTask();
        _scheduler.RunAll();
        _store.EndAll(CallFate.Lost);
        OscoreStoreException exception = await Assert.ThrowsAsync<OscoreStoreException>(() => waiting);
        Assert.Equal(OscoreStoreFault.Failed, exception.Fault);
        exception.Mentions("No space left on device");
        Assert.Equal(SenderSequenceNumberResult.Refused, sequence.TryTake(out _));
        Assert.Equal(OscoreStoreFault.Failed, Assert.IsType<OscoreStoreException>(sequence.Refusal).Fault);
    }

    [Fact]
    public async Task A_failed_reservation_is_retried_after_a_second_and_not_before()
    {
        OscoreSequence sequence = await OpenAsync();
        _ = sequence.TryTake(out _);
        _scheduler.RunAll();
        _store.EndAll(CallFate.Lost);
        for (int i = 0; i < 1000; i++)
        {
            Assert.Equal(SenderSequenceNumberResult.Refused, sequence.TryTake(out _));
        }

        Assert.Equal(1, _store.Reservations);
        _clock.Advance(OscoreSequence.RetryDelay);
        Assert.Equal(SenderSequenceNumberResult.NotGranted, sequence.TryTake(out _));
        _scheduler.RunAll();
        _store.EndAll(CallFate.Confirmed);
        Assert.Equal(SenderSequenceNumberResult.Taken, sequence.TryTake(out ulong number));
        Assert.Equal(0UL, number);
    }

    [Fact]
    public async Task Confirmed_numbers_are_used_while_the_store_fails_and_no_further_numbers()
    {
        OscoreSequence sequence = await OpenAsync();
        _ = sequence.TryTake(out _);
        _scheduler.RunAll();
        _store.EndAll(CallFate.Confirmed);
        int taken = 0;
        while (sequence.TryTake(out _) == SenderSequenceNumberResult.Taken)
        {
            Assert.True(++taken <= (int)OscoreSequence.MinStep, "More numbers than are confirmed.");
            _scheduler.RunAll();
            _store.EndAll(CallFate.DoneButReportedAsFailed);
        }

        Assert.Equal((int)OscoreSequence.MinStep, taken);
    }

    [Fact]
    public async Task A_reservation_that_the_store_does_not_answer_fails_after_30_seconds()
    {
        OscoreSequence sequence = await OpenAsync();
        Task<ulong> waiting = sequence.TakeAsync(default).AsTask();
        _scheduler.RunAll();
        _clock.Advance(OscoreSequence.StoreTimeout - FromSeconds(1));
        Assert.False(waiting.IsCompleted);
        _clock.Advance(FromSeconds(1));
        OscoreStoreException exception = await Assert.ThrowsAsync<OscoreStoreException>(() => waiting);
        Assert.Equal(OscoreStoreFault.TimedOut, exception.Fault);

        // It answers late: what it confirmed is not used any more, as nobody relies on it.
        _store.EndAll(CallFate.Confirmed);
        Assert.Equal(SenderSequenceNumberResult.Refused, sequence.TryTake(out _));
    }

    [Fact]
    public async Task No_number_is_issued_without_a_thread_for_the_store()
    {
        OscoreSequence sequence = await OpenAsync();
        _scheduler.IsExhausted = true;
        Task<ulong> waiting = sequence.TakeAsync(default).AsTask();
        await Assert.ThrowsAsync<OscoreStoreException>(() => waiting);
    }

    [Fact]
    public async Task A_cancelled_wait_takes_no_number()
    {
        OscoreSequence sequence = await OpenAsync();
        using CancellationTokenSource source = new();
        Task<ulong> waiting = sequence.TakeAsync(source.Token).AsTask();
        await source.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiting);
        _scheduler.RunAll();
        _store.EndAll(CallFate.Confirmed);
        Assert.Equal(0UL, sequence.Next);
    }

    [Fact]
    public async Task A_second_opening_starts_above_and_the_first_ends_at_its_reserved_numbers()
    {
        OscoreSequence first = await OpenAsync();
        Use(first, 3);
        OscoreSequence second = await OpenAsync();
        HashSet<ulong> used = [0, 1, 2];
        Use(second, 1000, used);

        // It has a part of its reservation left, and is told when it wants more.
        int more = 0;
        while (first.TryTake(out ulong number) == SenderSequenceNumberResult.Taken)
        {
            Assert.True(used.Add(number), $"{number} was used twice.");
            more++;
            _scheduler.RunAll();
            _store.EndAll(CallFate.Confirmed);
        }

        Assert.InRange(more, 1, (int)OscoreSequence.MinStep);
        Assert.Equal(OscoreStoreFault.Superseded, Assert.IsType<OscoreStoreException>(first.Refusal).Fault);
        _clock.Advance(FromDays(1));
        Assert.Equal(SenderSequenceNumberResult.Refused, first.TryTake(out _));
    }

    [Fact]
    [Rfc("8613-7.2.1-1")]
    public async Task The_last_sequence_number_is_2_to_the_40_minus_1()
    {
        OscoreSequence sequence = await OpenAsync(OscoreSequence.End - 2);
        Use(sequence, 2);
        Assert.Equal(SenderSequenceNumberResult.Refused, sequence.TryTake(out _));
        Assert.Equal(OscoreStoreFault.Exhausted, Assert.IsType<OscoreStoreException>(sequence.Refusal).Fault);
        await Assert.ThrowsAsync<OscoreStoreException>(() => sequence.TakeAsync(default).AsTask());
        OscoreSequence next = await OpenAsync();
        Assert.Equal(OscoreStoreFault.Exhausted, Assert.IsType<OscoreStoreException>(next.Refusal).Fault);
    }

    [Fact]
    public async Task The_warning_appears_once_when_nine_tenths_of_the_numbers_are_used()
    {
        OscoreSequence sequence = await OpenAsync(OscoreSequence.WarningMark - 1);
        Assert.False(sequence.TakeWarning());
        Use(sequence, 1);
        Assert.True(sequence.TakeWarning());
        Assert.False(sequence.TakeWarning());
    }

    [Fact]
    public async Task A_closed_sequence_issues_no_numbers_and_fails_waiting_callers()
    {
        OscoreSequence sequence = await OpenAsync();
        Use(sequence, 1);
        OscoreSequence other = await OpenAsync();
        Task<ulong> waiting = other.TakeAsync(default).AsTask();
        sequence.Close();
        other.Close();
        Assert.Equal(SenderSequenceNumberResult.Refused, sequence.TryTake(out _));
        Assert.IsType<ObjectDisposedException>(sequence.Refusal);
        await Assert.ThrowsAsync<ObjectDisposedException>(() => waiting);
    }

    [Fact]
    public void A_volatile_sequence_uses_no_store()
    {
        OscoreSequence sequence = OscoreSequence.Volatile();
        for (ulong expected = 0; expected < 100; expected++)
        {
            Assert.Equal(SenderSequenceNumberResult.Taken, sequence.TryTake(out ulong number));
            Assert.Equal(expected, number);
        }
    }

    [Fact]
    public async Task Concurrent_threads_get_different_numbers()
    {
        MemoryOscoreStore store = new();
        OscoreStoredState state = await store.OpenAsync(s_key, default);
        OscoreSequence sequence = new(store, s_key, state, CoapThreadScheduler.Default, TimeProvider.System);
        ulong[][] taken = new ulong[4][];
        Thread[] threads = [.. Enumerable.Range(0, taken.Length).Select(index => new Thread(() =>
        {
            ulong[] own = new ulong[2_000];
            for (int i = 0; i < own.Length; i++)
            {
                own[i] = sequence.TakeAsync(default).AsTask().GetAwaiter().GetResult();
            }

            taken[index] = own;
        }))];
        Array.ForEach(threads, thread => thread.Start());
        Array.ForEach(threads, thread => thread.Join());
        Assert.Equal(8_000, taken.SelectMany(numbers => numbers).Distinct().Count());
    }

    private void Use(OscoreSequence sequence, int count, HashSet<ulong>? used = null)
    {
        for (int i = 0; i < count; i++)
        {
            SenderSequenceNumberResult result = sequence.TryTake(out ulong number);
            if (result == SenderSequenceNumberResult.NotGranted)
            {
                _scheduler.RunAll();
                _store.EndAll(CallFate.Confirmed);
                result = sequence.TryTake(out number);
            }

            Assert.Equal(SenderSequenceNumberResult.Taken, result);
            Assert.True(used?.Add(number) ?? true, $"{number} was used twice.");
            _scheduler.RunAll();
            _store.EndAll(CallFate.Confirmed);
        }
    }

    private async Task<OscoreSequence> OpenAsync(ulong next = 0)
    {
        Task<OscoreStoredState> opening = _store.OpenAsync(s_key, default).AsTask();
        _store.EndAll(CallFate.Confirmed);
        OscoreStoredState state = await opening;
        if (next > 0)
        {
            Task reserving = _store.ReserveAsync(s_key, state.Epoch, next, default).AsTask();
            _store.EndAll(CallFate.Confirmed);
            await reserving;
            state = new OscoreStoredState(state.Epoch, next, state.IsNew, state.Received);
        }

        return new OscoreSequence(_store, s_key, state, _scheduler, _clock);
    }
}
