using System.Runtime.CompilerServices;

namespace CoAP.NET.Execution;

/// <summary>
/// Checks the loops whose threads are in user code, every <see cref="UserCodePolicy.LookPeriod"/>. One for each scheduler. It has a thread
/// only while there is something to watch, and a little longer.
/// </summary>
internal sealed class BlockedReceiveLoopWatchdog
{
    private static readonly ConditionalWeakTable<CoapThreadScheduler, BlockedReceiveLoopWatchdog> s_watchdogs = [];

    private readonly CoapThreadScheduler _scheduler;
    private readonly Lock _gate = new();
    private ReceiveLoop[] _loops = [];
    private bool _awake;

    private BlockedReceiveLoopWatchdog(CoapThreadScheduler scheduler) => _scheduler = scheduler;

    public static BlockedReceiveLoopWatchdog Of(CoapThreadScheduler scheduler) =>
        s_watchdogs.GetValue(scheduler, static key => new BlockedReceiveLoopWatchdog(key));

    /// <summary>Pauses after a failure that would otherwise repeat at full speed.</summary>
    public static void Pause()
    {
        using ManualResetEvent never = new(false);
        never.WaitOne(UserCodePolicy.FailurePause);
    }

    public void Add(ReceiveLoop loop)
    {
        lock (_gate)
        {
            _loops = [.. _loops, loop];
        }
    }

    public void Remove(ReceiveLoop loop)
    {
        lock (_gate)
        {
            _loops = Array.FindAll(_loops, other => other != loop);
        }
    }

    /// <summary>Called when a loop enters user code; costs a read while the watchdog is awake.</summary>
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
                if (!_scheduler.TryQueue(static state => ((BlockedReceiveLoopWatchdog)state!).Watch(), this, null, null))
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
                never.WaitOne(UserCodePolicy.LookPeriod);
                long now = TimeProvider.System.GetTimestamp();
                bool active = false;
                foreach (ReceiveLoop loop in Volatile.Read(ref _loops))
                {
                    active |= loop.Watch(now);
                }

                idle = active ? 0 : idle + 1;
                isOver = idle >= UserCodePolicy.LooksToSleep && !TryStayAwake();
            }
        }
        finally
        {
            if (!isOver)
            {
                // After an exception: the next loop that enters user code starts another watch.
                Volatile.Write(ref _awake, false);
            }
        }
    }

    // Sleeps, unless a thread entered user code before it could see that the watchdog sleeps.
    private bool TryStayAwake()
    {
        Volatile.Write(ref _awake, false);
        Interlocked.MemoryBarrierProcessWide();
        if (!Array.Exists(Volatile.Read(ref _loops), loop => loop.IsInUserCode))
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
