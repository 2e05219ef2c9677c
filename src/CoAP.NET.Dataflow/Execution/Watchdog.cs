using System.Runtime.CompilerServices;

namespace CoAP.NET.Execution;

/// <summary>
/// Checks the loops whose threads are in user code, and the threads of handlers, twice in <see cref="UserCodePolicy.HandOverAfter"/>.
/// One for each scheduler. It has a thread only while there is something to watch, and a little longer.
/// </summary>
internal sealed class Watchdog
{
    /// <summary>How many checks a loop records: the bits of a number.</summary>
    public const int LooksRemembered = 32;

    private static readonly ConditionalWeakTable<CoapThreadScheduler, Watchdog> s_watchdogs = [];

    // The role is taken at most so much too late. A look costs some microseconds.
    private static readonly TimeSpan s_lookPeriod = UserCodePolicy.HandOverAfter / 2;

    private readonly CoapThreadScheduler _scheduler;
    private readonly Lock _gate = new();
    private IWatched[] _watched = [];
    private bool _awake;

    private Watchdog(CoapThreadScheduler scheduler) => _scheduler = scheduler;

    public static Watchdog Of(CoapThreadScheduler scheduler) => s_watchdogs.GetValue(scheduler, static key => new Watchdog(key));

    /// <summary>
    /// Pauses after a failure that would otherwise repeat at full speed, such as an unreadable socket: as long as user code may delay
    /// others.
    /// </summary>
    public static void Pause()
    {
        using ManualResetEvent never = new(false);
        never.WaitOne(UserCodePolicy.HandOverAfter);
    }

    public void Add(IWatched watched)
    {
        lock (_gate)
        {
            _watched = [.. _watched, watched];
        }
    }

    public void Remove(IWatched watched)
    {
        lock (_gate)
        {
            _watched = Array.FindAll(_watched, other => other != watched);
        }
    }

    /// <summary>Called when there is something to watch; costs one read while the watchdog is awake.</summary>
    public void EnsureAwake()
    {
        if (!Volatile.Read(ref _awake))
        {
            WakeUp();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void WakeUp()
    {
        lock (_gate)
        {
            if (!_awake)
            {
                _awake = true;
                if (!_scheduler.TryQueue(static state => ((Watchdog)state!).Watch(), this, null, null))
                {
                    // Without a thread for this there is none for a stand-by either.
                    _awake = false;
                }
            }
        }
    }

    private void Watch()
    {
        bool isOver = false;
        try
        {
            using ManualResetEvent never = new(false);
            int idle = 0;
            while (!isOver)
            {
                never.WaitOne(s_lookPeriod);
                long now = TimeProvider.System.GetTimestamp();
                bool active = false;
                foreach (IWatched watched in Volatile.Read(ref _watched))
                {
                    active |= watched.Look(now);
                }

                // Not at once: a busy server would start and stop it with each request, which costs more than the looks.
                idle = active ? 0 : idle + 1;
                isOver = idle >= LooksRemembered && !TryStayAwake();
            }
        }
        finally
        {
            if (!isOver)
            {
                // After an exception: the next one that enters user code starts another watch.
                Volatile.Write(ref _awake, false);
            }
        }
    }

    // Sleeps, unless a thread entered user code before it could see that the watchdog sleeps.
    private bool TryStayAwake()
    {
        Volatile.Write(ref _awake, false);
        Interlocked.MemoryBarrierProcessWide();
        if (!Array.Exists(Volatile.Read(ref _watched), watched => watched.MustWatch))
        {
            return false;
        }

        lock (_gate)
        {
            if (_awake)
            {
                // Another thread saw it and started a watch.
                return false;
            }

            return _awake = true;
        }
    }
}
