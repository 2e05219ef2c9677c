namespace CoAP.NET.Testing;

/// <summary>
/// Makes the steps of a clock for all who wait for it at the same time. One of them drives, on the thread that it would have waited on: two
/// that drove would each see the other one run, would never find the process quiet, and would step on while something could still happen.
/// </summary>
internal sealed class VirtualDrive(VirtualClock clock)
{
    // Five seconds, which only a test pays that fails anyway.
    private const int PausesForOutside = 500;

    private static readonly TimeSpan s_pauseForOutside = TimeSpan.FromMilliseconds(10);

    private readonly Lock _gate = new();
    private readonly Patience _patience = new();
    private VirtualWaiter[] _waiters = [];
    private bool _driven;

    /// <summary>How many steps were made.</summary>
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

    /// <summary>Ends when the waiter who drives has what it waits for; the others go on as they have theirs.</summary>
    private async Task DriveAsync(VirtualWaiter driver)
    {
        using Quiescence quiescence = new(_patience);
        while (true)
        {
            await quiescence.SettleAsync(AnyHas).ConfigureAwait(false);

            // Whoever goes on now runs before the next step: until the process is quiet again.
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

    // Steps that somebody asked for are taken also where no timer waits, and whose time is over has waited before it was.
    private bool WouldTimePassInVain() =>
        Array.TrueForAll(Volatile.Read(ref _waiters), waiter => !waiter.HasStep && !waiter.HasGivenUp(clock));

    /// <summary>
    /// Waits while no timer waits and nobody has what it waits for: time alone would change nothing. What comes from outside the process
    /// does: the kernel of a busy machine delivers what was written to a socket after all threads have fallen asleep.
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

    /// <summary>Takes those out for whom something holds, lets them go on, and returns them. The driver goes on by itself.</summary>
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

    /// <returns>Whether it is the one who drives now.</returns>
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
            // Still there when a timer's callback threw.
            Leave(driver);
            _driven = _waiters.Length > 0;
            if (_driven)
            {
                _waiters[0].Drive();
            }
        }
    }
}

/// <summary>Somebody who waits until something is true in virtual time.</summary>
internal sealed class VirtualWaiter(Func<bool> condition, TimeSpan now, TimeSpan max, TimeSpan longest)
{
    private readonly TaskCompletionSource<bool> _turn = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TimeSpan _end = now + max;
    private Exception? _failure;

    /// <summary>Whether time goes on for it step by step, and not only from timer to timer.</summary>
    public bool HasStep => longest != TimeSpan.MaxValue;

    /// <summary>True when the waiter is to drive; false when it has what it waited for.</summary>
    public Task<bool> Turn => _turn.Task;

    /// <summary>Whether it need not wait any longer: what it waits for is true, or cannot be asked.</summary>
    public bool Has()
    {
        try
        {
            return _failure is not null || condition();
        }
#pragma warning disable CA1031 // whatever the condition throws is its waiter's matter, who may be another one than the one who drives
        catch (Exception exception)
#pragma warning restore CA1031
        {
            _failure = exception;
            return true;
        }
    }

    /// <summary>Whether its time is over.</summary>
    public bool HasGivenUp(VirtualClock clock)
    {
        TimeSpan now = clock.Elapsed;
        if (now < _end)
        {
            return false;
        }

        _failure ??= new TimeoutException(
            $"What was waited for did not happen in {max} of virtual time. The clock stands at {now}; {clock.TimerCount} timers wait"
                + (clock.NextDue is { } due ? $", the next one for {due}." : ", so time alone will change nothing."));
        return true;
    }

    /// <summary>How far the clock may go in one step.</summary>
    public TimeSpan Limit(TimeSpan target, TimeSpan from)
    {
        TimeSpan end = target < _end ? target : _end;
        return end - from > longest ? from + longest : end;
    }

    /// <summary>Has it drive from now on.</summary>
    public void Drive() => _turn.TrySetResult(true);

    /// <summary>Lets it go on.</summary>
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

    /// <summary>Throws what its condition threw, or that its time is over.</summary>
    public void ThrowIfFailed()
    {
        if (_failure is not null)
        {
            System.Runtime.ExceptionServices.ExceptionDispatchInfo.Throw(_failure);
        }
    }
}
