using System.Collections.Concurrent;
using System.Runtime.InteropServices;
using CoAP.NET.Testing;

namespace CoAP.NET.Tests.Testing;

/// <summary>Real clock: the virtual clock looks for real time whether other threads still work.</summary>
[Collection(VirtualTimeCollection.Name)]
public partial class VirtualClockAsyncTests
{
    private readonly VirtualClock _clock = new();

    [Fact]
    public async Task Advancing_until_a_task_has_ended_stops_at_the_instant_it_ended()
    {
        string result = await _clock.AdvanceUntilAsync(WaitAsync(), FromHours(1));

        Assert.Equal("3.5", result);
        Assert.Equal(FromSeconds(3.5), _clock.Elapsed);

        async Task<string> WaitAsync()
        {
            await Task.Delay(FromSeconds(1), _clock).ConfigureAwait(false);
            await Task.Delay(FromSeconds(2.5), _clock).ConfigureAwait(false);
            return $"{_clock.Elapsed.TotalSeconds}";
        }
    }

    [Fact]
    public async Task The_clock_does_not_advance_while_continuations_run_on_the_thread_pool()
    {
        // A periodic timer gives time a reason to go on at each look.
        using ITimer ticking = _clock.CreateTimer(_ => { }, null, FromMilliseconds(250), FromMilliseconds(250));
        List<TimeSpan> seen = [];

        await _clock.AdvanceUntilAsync(HopAsync(), FromHours(1));

        Assert.All(seen, (time, index) => Assert.Equal(FromSeconds(1 + (index / 20)), time));
        Assert.Equal(200, seen.Count);

        async Task HopAsync()
        {
            for (int i = 0; i < 10; i++)
            {
                await Task.Delay(FromSeconds(1), _clock).ConfigureAwait(false);
                for (int j = 0; j < 20; j++)
                {
                    await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
                    Thread.SpinWait(j * 50);
                    seen.Add(_clock.Elapsed);
                }
            }
        }
    }

    [Fact]
    public async Task The_clock_does_not_advance_while_a_thread_computes()
    {
        using ITimer ticking = _clock.CreateTimer(_ => { }, null, FromMilliseconds(250), FromMilliseconds(250));
        long begin = TimeProvider.System.GetTimestamp();

        await _clock.AdvanceUntilAsync(ComputeAsync(), FromHours(1));

        Assert.Equal(TimeSpan.Zero, _clock.Elapsed);

        async Task ComputeAsync()
        {
            await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
            while (TimeProvider.System.GetElapsedTime(begin) < FromMilliseconds(300))
            {
            }
        }
    }

    [Fact]
    public async Task The_clock_does_not_advance_during_a_short_native_sleep_of_a_running_thread()
    {
        // As the garbage collector does with those who allocate while it works in the background.
        using ITimer ticking = _clock.CreateTimer(_ => { }, null, FromMilliseconds(250), FromMilliseconds(250));

        await _clock.AdvanceUntilAsync(DozeAsync(), FromHours(1));

        Assert.True(!OperatingSystem.IsLinux() || _clock.Elapsed == TimeSpan.Zero, $"It is {_clock.Elapsed}.");

        static async Task DozeAsync()
        {
            await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
            for (int i = 0; i < 20 && OperatingSystem.IsLinux(); i++)
            {
                _ = SleepInNativeCode(5000);
            }
        }
    }

    [LibraryImport("libc", EntryPoint = "usleep")]
    private static partial int SleepInNativeCode(uint microseconds);

    [Fact]
    public async Task The_clock_does_not_advance_while_threads_wake_each_other_in_turn()
    {
        // Each is asleep most of the time, and whoever looks at one after the other may find all of them so.
        const int threads = 4;
        const int turns = 20_000;
        using ITimer ticking = _clock.CreateTimer(_ => { }, null, FromMilliseconds(250), FromMilliseconds(250));
        AutoResetEvent[] signals = [.. Enumerable.Range(0, threads).Select(static _ => new AutoResetEvent(false))];
        int turn = 0;
        Thread[] ring = [.. Enumerable.Range(0, threads).Select(i => new Thread(() => TakeTurns(i)) { IsBackground = true })];
        Array.ForEach(ring, static thread => thread.Start());
        signals[0].Set();

        await _clock.AdvanceUntilAsync(() => Volatile.Read(ref turn) >= turns, FromHours(1));

        Assert.Equal(TimeSpan.Zero, _clock.Elapsed);

        // One that ends by the turns of the others does not pass its own on.
        Array.ForEach(signals, static signal => signal.Set());
        Array.ForEach(ring, static thread => thread.Join());
        Array.ForEach(signals, static signal => signal.Dispose());

        void TakeTurns(int self)
        {
            do
            {
                signals[self].WaitOne();
                Thread.SpinWait(100);

                // To the one before, so that the turn goes against the order in which threads began.
                Interlocked.Increment(ref turn);
                signals[(self + threads - 1) % threads].Set();
            }
            while (Volatile.Read(ref turn) < turns);
        }
    }

    [Fact]
    public async Task Concurrent_callers_share_the_clock_steps_and_each_continues_at_its_due_time()
    {
        using ITimer ticking = _clock.CreateTimer(_ => { }, null, FromMilliseconds(250), FromMilliseconds(250));
        ConcurrentBag<(int Caller, TimeSpan At)> seen = [];

        await Task.WhenAll(Enumerable.Range(1, 4).Select(CallAsync));

        Assert.Equal(FromSeconds(40), _clock.Elapsed);
        Assert.Equal(40, seen.Count);
        Assert.All(Enumerable.Range(1, 4), caller => Assert.Equal(
            Enumerable.Range(1, 10).Select(i => FromSeconds(i * caller)),
            seen.Where(one => one.Caller == caller).Select(one => one.At).Order()));

        // A second caller that steps by itself would find the first one busy, and would look in vain for seconds.
        Assert.InRange(_clock.Steps, 160, 200);

        async Task CallAsync(int caller)
        {
            for (int i = 0; i < 10; i++)
            {
                await _clock.AdvanceUntilAsync(Task.Delay(FromSeconds(caller), _clock), FromHours(1));
                for (int j = 0; j < 20; j++)
                {
                    await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
                    Thread.SpinWait(j * 50);
                }

                seen.Add((caller, _clock.Elapsed));
            }
        }
    }

    [Fact]
    public async Task A_waiter_that_times_out_or_fails_does_not_end_the_other_waits()
    {
        TaskCompletionSource never = new();
        Task fails = _clock.AdvanceUntilAsync(
            () => _clock.Elapsed < FromSeconds(2) ? false : throw new InvalidOperationException(),
            FromHours(1), FromSeconds(1));
        Task givesUp = _clock.AdvanceUntilAsync(never.Task, FromMinutes(1));
        Task waits = _clock.AdvanceUntilAsync(Task.Delay(FromMinutes(2), _clock), FromHours(1));

        await Assert.ThrowsAsync<InvalidOperationException>(() => fails);
        await Assert.ThrowsAsync<TimeoutException>(() => givesUp);
        await waits;
        Assert.Equal(FromMinutes(2), _clock.Elapsed);
    }

    [Fact]
    public async Task A_throwing_timer_fails_one_waiting_caller_and_another_caller_advances_the_clock()
    {
        using ITimer throwing = _clock.CreateTimer(
            _ => throw new InvalidOperationException(), null, FromSeconds(1), Timeout.InfiniteTimeSpan);
        Task[] waits = [.. Enumerable.Range(0, 2).Select(_ =>
            _clock.AdvanceUntilAsync(Task.Delay(FromSeconds(2), _clock), FromHours(1)))];

        await Task.WhenAll(waits).ContinueWith(_ => { }, TaskScheduler.Default);

        Assert.Equal(1, waits.Count(static wait => wait.IsFaulted));
        Assert.Equal(1, waits.Count(static wait => wait.IsCompletedSuccessfully));
        Assert.Equal(FromSeconds(2), _clock.Elapsed);
    }

    [Fact]
    public async Task A_TimeoutException_of_AdvanceUntilAsync_describes_the_state_of_the_clock()
    {
        using ITimer timer = _clock.CreateTimer(_ => { }, null, FromMinutes(5), Timeout.InfiniteTimeSpan);
        TimeoutException error = await Assert.ThrowsAsync<TimeoutException>(() =>
            _clock.AdvanceUntilAsync(new TaskCompletionSource().Task, FromMinutes(1)));
        error.Mentions("00:01:00");
        error.Mentions("1 timers wait, the next one for 00:05:00");
        Assert.Equal(FromMinutes(1), _clock.Elapsed);
    }

    [Fact]
    public async Task The_clock_without_timers_waits_for_events_outside_the_process()
    {
        // As the kernel of a busy machine delivers what was written to a socket.
        await _clock.AdvanceUntilAsync(Task.Delay(FromMilliseconds(50), TimeProvider.System), FromMinutes(1));
        Assert.Equal(TimeSpan.Zero, _clock.Elapsed);
    }

    [Fact]
    public async Task AdvanceUntilAsync_without_timers_soon_throws_TimeoutException()
    {
        TimeoutException error = await Assert.ThrowsAsync<TimeoutException>(
            () => _clock.AdvanceUntilAsync(new TaskCompletionSource<int>().Task, FromDays(1)));
        error.Mentions("time alone will change nothing");
    }

    [Fact]
    public async Task An_exception_of_the_task_is_rethrown()
    {
        await Assert.ThrowsAsync<FormatException>(() => _clock.AdvanceUntilAsync(FailAsync(), FromMinutes(1)));

        async Task FailAsync()
        {
            await Task.Delay(FromSeconds(1), _clock).ConfigureAwait(false);
            throw new FormatException();
        }
    }

    [Fact]
    public async Task AdvanceUntilAsync_checks_its_condition_at_each_step()
    {
        await _clock.AdvanceUntilAsync(() => _clock.Elapsed >= FromSeconds(2.2), FromMinutes(1),
            step: FromSeconds(0.5));
        Assert.Equal(FromSeconds(2.5), _clock.Elapsed);
    }

    [Fact]
    public async Task AdvanceUntilAsync_does_not_advance_the_clock_when_its_condition_is_true()
    {
        using ITimer timer = _clock.CreateTimer(_ => { }, null, TimeSpan.Zero, Timeout.InfiniteTimeSpan);
        await _clock.AdvanceUntilAsync(() => true, FromMinutes(1));
        Assert.Equal(1, _clock.TimerCount);
    }

    [Fact]
    public async Task A_timer_due_exactly_at_the_limit_still_fires()
    {
        await _clock.AdvanceUntilAsync(Task.Delay(FromSeconds(5), _clock), FromSeconds(5));
        Assert.Equal(FromSeconds(5), _clock.Elapsed);
    }

    [Fact]
    public async Task Times_out_of_range_are_refused()
    {
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => _clock.AdvanceUntilAsync(() => true, FromTicks(-1)));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => _clock.AdvanceUntilAsync(() => true, TimeSpan.Zero, TimeSpan.Zero));
    }
}
