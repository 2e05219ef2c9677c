namespace CoAP.NET.Testing.Time;

/// <summary>
/// Makes the steps of a clock for all concurrent waiters. One of them drives, on its own waiting thread. Two drivers would see each other
/// run, never find the process quiet, and step on while something could still happen.
/// </summary>
internal sealed class VirtualClockDriver(VirtualClock clock)
{
    // Five seconds, which cost time only in a test that fails anyway.
    private const int PausesForOutside = 500;

    private static readonly TimeSpan s_pauseForOutside = TimeSpan.FromMilliseconds(10);

    private readonly Lock _gate = new();
    private readonly RealTimePauseBudget _pauses = new();
    private VirtualWaiter[] _waiters = [];
    private bool _driven;

    /// <summary>Whether a caller waits in virtual time.</summary>
    public bool IsDriven => Volatile.Read(ref _waiters).Length > 0;

    public long Steps { get; private set; }

    public async Task RunAsync(VirtualWaiter waiter)
    {
        if (Join(waiter) || await waiter.Turn.ConfigureAwait(false))
        {
            try
            {
                await DriveAsync(waiter).ConfigureAwait(false);
            }
            finally
            {
                HandOver(waiter);
            }
        }
    }

    /// <summary>Ends when the driving waiter has its result; the others continue when they have theirs.</summary>
    private async Task DriveAsync(VirtualWaiter driver)
    {
        using Quiescence quiescence = new(_pauses);
        while (true)
        {
            await quiescence.SettleAsync(AnyHas).ConfigureAwait(false);

            // A released waiter runs before the next step, until the process is quiet again.
            VirtualWaiter[] released = Release(static waiter => waiter.Has(), driver);
            TimeSpan now = clock.Elapsed;
            TimeSpan next = clock.NextDue ?? TimeSpan.MaxValue;
            if (released.Length == 0 && next == TimeSpan.MaxValue && WouldTimePassInVain()
                && await HasSomethingFromOutsideAsync().ConfigureAwait(false))
            {
                continue;
            }

            if (released.Length == 0)
            {
                Steps++;
                released = next > now ? Release(waiter => waiter.HasGivenUp(clock), driver) : [];
            }

            if (released.Contains(driver))
            {
                driver.ThrowIfFailed();
                return;
            }

            if (released.Length > 0)
            {
                continue;
            }

            TimeSpan target = next;
            foreach (VirtualWaiter waiter in Volatile.Read(ref _waiters))
            {
                target = waiter.Limit(target, now);
            }

            clock.AdvanceTo(target);
        }
    }

    // Requested steps are made even without a pending timer, and a waiter whose time is over has already waited.
    private bool WouldTimePassInVain() =>
        Array.TrueForAll(Volatile.Read(ref _waiters), waiter => !waiter.HasStep && !waiter.HasGivenUp(clock));

    /// <summary>
    /// Waits while no timer is pending and no waiter has its result, because time alone would change nothing. Events from outside the
    /// process can: the kernel of a busy machine delivers bytes of a socket after all threads have fallen asleep.
    /// </summary>
    private async ValueTask<bool> HasSomethingFromOutsideAsync()
    {
        for (int i = 0; i < PausesForOutside; i++)
        {
            await Task.Delay(s_pauseForOutside, TimeProvider.System).ConfigureAwait(false);
            if (AnyHas() || clock.TimerCount > 0)
            {
                return true;
            }
        }

        return false;
    }

    private bool AnyHas()
    {
        foreach (VirtualWaiter waiter in Volatile.Read(ref _waiters))
        {
            if (waiter.Has())
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Removes the waiters that a predicate matches, releases and returns them. The driver continues by itself.</summary>
    private VirtualWaiter[] Release(Predicate<VirtualWaiter> holds, VirtualWaiter driver)
    {
        VirtualWaiter[] released = Array.FindAll(Volatile.Read(ref _waiters), holds);
        foreach (VirtualWaiter waiter in released)
        {
            Leave(waiter);
            if (waiter != driver)
            {
                waiter.End();
            }
        }

        return released;
    }

    /// <returns>Whether this waiter drives now.</returns>
    private bool Join(VirtualWaiter waiter)
    {
        lock (_gate)
        {
            Volatile.Write(ref _waiters, [.. _waiters, waiter]);
            bool drives = !_driven;
            _driven = true;
            return drives;
        }
    }

    private void Leave(VirtualWaiter waiter)
    {
        lock (_gate)
        {
            Volatile.Write(ref _waiters, [.. _waiters.Where(other => other != waiter)]);
        }
    }

    private void HandOver(VirtualWaiter driver)
    {
        lock (_gate)
        {
            // Still registered when a timer's callback threw.
            Leave(driver);
            _driven = _waiters.Length > 0;
            if (_driven)
            {
                _waiters[0].Drive();
            }
        }
    }
}

/// <summary>A caller that waits in virtual time until a condition is true.</summary>
internal sealed class VirtualWaiter(Func<bool> condition, TimeSpan now, TimeSpan max, TimeSpan longest)
{
    private readonly TaskCompletionSource<bool> _turn = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TimeSpan _end = now + max;
    private Exception? _failure;

    /// <summary>Whether time must advance for it step by step, and not only from timer to timer.</summary>
    public bool HasStep => longest != TimeSpan.MaxValue;

    /// <summary>True when the waiter must drive; false when it has its result.</summary>
    public Task<bool> Turn => _turn.Task;

    /// <summary>Whether the wait is over: the condition is true, or threw.</summary>
    public bool Has()
    {
        try
        {
            return _failure is not null || condition();
        }
#pragma warning disable CA1031 // an exception of the condition belongs to its waiter, who may not be the driver
        catch (Exception exception)
#pragma warning restore CA1031
        {
            _failure = exception;
            return true;
        }
    }

    public bool HasGivenUp(VirtualClock clock)
    {
        TimeSpan now = clock.Elapsed;
        if (now < _end)
        {
            return false;
        }

        _failure ??= new TimeoutException(
            $"The awaited condition did not become true in {max} of virtual time. The clock stands at {now}; {clock.TimerCount} timers wait"
                + (clock.NextDue is { } due ? $", the next one for {due}." : ", so time alone will change nothing."));
        return true;
    }

    /// <summary>Returns the maximum time of the next step.</summary>
    public TimeSpan Limit(TimeSpan target, TimeSpan from)
    {
        TimeSpan end = target < _end ? target : _end;
        return end - from > longest ? from + longest : end;
    }

    public void Drive() => _turn.TrySetResult(true);

    public void End()
    {
        if (_failure is null)
        {
            _turn.TrySetResult(false);
        }
        else
        {
            _turn.TrySetException(_failure);
        }
    }

    /// <summary>Throws the exception of its condition, or a timeout.</summary>
    public void ThrowIfFailed()
    {
        if (_failure is not null)
        {
            System.Runtime.ExceptionServices.ExceptionDispatchInfo.Throw(_failure);
        }
    }
}
