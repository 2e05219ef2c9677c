namespace CoAP.NET.Testing;

// Virtual time together with code that awaits: continuations run on threads that know nothing of this clock.
public sealed partial class VirtualClock
{
    /// <summary>How many steps were made by waiting until all was quiet, each of which costs time of the processor.</summary>
    internal long Steps { get; private set; }

    /// <summary>How often the threads of the process were looked at.</summary>
    internal long Looks { get; private set; }

    /// <summary>
    /// Lets time pass until a task has ended, and returns its result. Time goes from timer to timer, and before each step everything that
    /// can still run at the present instant is let run: the step waits until the process is quiet, so that a continuation never sees a
    /// later time than the one it was caused at. Nothing sleeps.
    /// </summary>
    /// <remarks>
    /// "Quiet" means that nothing is queued to the thread pool and every other thread of the process sleeps. That is exact when the test
    /// runs alone: put tests that use this into a collection without parallel ones. Beside others it looks in vain for about a second in
    /// all, then for some 20 ms at each step, and goes on; steps that end quiet bring the second back. Give the code under test a
    /// <see cref="VirtualScheduler"/> in place of threads, and an <see cref="InMemoryNetwork"/> in place of sockets.
    /// </remarks>
    /// <typeparam name="T">The type of the result.</typeparam>
    /// <param name="task">The task.</param>
    /// <param name="max">The longest virtual time to pass.</param>
    /// <param name="step">The longest single step; null when only timers matter.</param>
    /// <returns>The result of the task; it throws what the task threw.</returns>
    /// <exception cref="TimeoutException">The time has passed and the task has not ended.</exception>
    public async Task<T> AdvanceUntilAsync<T>(Task<T> task, TimeSpan max, TimeSpan? step = null)
    {
        ArgumentNullException.ThrowIfNull(task);
        await AdvanceUntilAsync(() => task.IsCompleted, max, step).ConfigureAwait(false);
        return await task.ConfigureAwait(false);
    }

    /// <summary>Lets time pass until a task has ended. See the overload with a result for how.</summary>
    /// <param name="task">The task.</param>
    /// <param name="max">The longest virtual time to pass.</param>
    /// <param name="step">The longest single step; null when only timers matter.</param>
    /// <returns>A task that ends as the given one did.</returns>
    /// <exception cref="TimeoutException">The time has passed and the task has not ended.</exception>
    public async Task AdvanceUntilAsync(Task task, TimeSpan max, TimeSpan? step = null)
    {
        ArgumentNullException.ThrowIfNull(task);
        await AdvanceUntilAsync(() => task.IsCompleted, max, step).ConfigureAwait(false);
        await task.ConfigureAwait(false);
    }

    /// <summary>Lets time pass until something is true. See the overload for tasks for how.</summary>
    /// <param name="condition">What is waited for; asked between the steps.</param>
    /// <param name="max">The longest virtual time to pass.</param>
    /// <param name="step">The longest single step; null when only timers matter. Set it for a condition that reads the clock.</param>
    /// <returns>A task that ends when the condition is true.</returns>
    /// <exception cref="ArgumentOutOfRangeException">A time is negative, or the step is zero.</exception>
    /// <exception cref="TimeoutException">The time has passed and the condition is false.</exception>
    public async Task AdvanceUntilAsync(Func<bool> condition, TimeSpan max, TimeSpan? step = null)
    {
        ArgumentNullException.ThrowIfNull(condition);
        ArgumentOutOfRangeException.ThrowIfLessThan(max, TimeSpan.Zero);
        TimeSpan longest = step ?? TimeSpan.MaxValue;
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(longest, TimeSpan.Zero, nameof(step));

        // Away from the caller's thread, which others may wait for. Once, and not for each step: a thread that was left looks busy for a
        // while.
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        TimeSpan end = Elapsed + max;
        using Quiescence quiescence = new();
        while (true)
        {
            long looks = quiescence.Looks;
            await quiescence.SettleAsync(condition).ConfigureAwait(false);
            Looks += quiescence.Looks - looks;
            if (condition())
            {
                return;
            }

            Steps++;

            TimeSpan now = Elapsed;
            TimeSpan next = NextDue ?? TimeSpan.MaxValue;
            if (now >= end && next > now)
            {
                throw new TimeoutException(
                    $"What was waited for did not happen in {max} of virtual time. The clock stands at {now}; {TimerCount} timers wait"
                        + (NextDue is { } due ? $", the next one for {due}." : ", so time alone will change nothing."));
            }

            TimeSpan target = next < end ? next : end;
            AdvanceTo(target - now > longest ? now + longest : target);
        }
    }
}
