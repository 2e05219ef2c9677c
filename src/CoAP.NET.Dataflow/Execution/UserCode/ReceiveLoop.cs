using System.Numerics;
using CoAP.NET.Transports;

namespace CoAP.NET;

/// <summary>
/// A loop that receives and runs everything to completion on the thread that received. When user code blocks, a stand-by thread takes the
/// role with everything that is not yet dispatched or sent; the blocked thread keeps its one exchange.
/// </summary>
internal abstract class ReceiveLoop
{
    private readonly CoapScheduler _scheduler;
    private ReceiveRole? _holder;
    private long _progress;
    private int _takeOverPending;
    private long _takeOverProgress;

    // What the watchdog saw. Only for its thread.
    private long _seenProgress = -1;
    private long _seenAt;
    private int _sightings;
    private bool _starved;
    private uint _looksInUserCode;

    protected ReceiveLoop(CoapScheduler scheduler)
    {
        _scheduler = scheduler;
        Watchdog = ReceiveWatchdog.Of(scheduler);
    }

    public ReceiveWatchdog Watchdog { get; }

    /// <summary>Whether a stand-by takes the role of a thread whose user code blocks.</summary>
    public bool HandsOver => HandOverAfter != Timeout.InfiniteTimeSpan;

    public bool IsInUserCode => Volatile.Read(ref _holder) is { IsInUserCode: true };

    /// <summary>The transport whose datagram, error or tick the loop works on. Thread-safe.</summary>
    protected abstract ICoapTransportContext? ActiveContext { get; }

    /// <summary>How long user code may hold up others; <see cref="Timeout.InfiniteTimeSpan"/>: forever.</summary>
    protected abstract TimeSpan HandOverAfter { get; }

    /// <summary>Whether the watchdog found that the loop has worked on the same item for long.</summary>
    public bool HasBeenLong => IsUrgent;

    /// <summary>
    /// Whether hardly anything but user code ran in the loop lately, so that it cannot keep up. The watchdog samples it, so it costs the
    /// loop nothing.
    /// </summary>
    public bool IsCrowded
    {
        get => Volatile.Read(ref field);
        private set => Volatile.Write(ref field, value);
    }

    /// <summary>See <see cref="HasBeenLong"/>: answers should leave now and not at the end of the batch.</summary>
    protected bool IsUrgent
    {
        get => Volatile.Read(ref field);
        set => Volatile.Write(ref field, value);
    }

    /// <summary>Starts the loop on a thread of the library.</summary>
    /// <returns>Whether there was a thread.</returns>
    public bool TryStart()
    {
        ReceiveRole role = new(this);
        _holder = role;
        Watchdog.Add(this);
        if (_scheduler.TryQueue(static state => RunAs((ReceiveRole)state!), role, ActiveContext?.Counters, ActiveContext?.Logger))
        {
            return true;
        }

        Watchdog.Remove(this);
        return false;
    }

    /// <summary>The watchdog looks at the loop.</summary>
    /// <returns>Whether the loop did anything or is in user code.</returns>
    public bool Watch(long now)
    {
        _looksInUserCode = (_looksInUserCode << 1) | (IsInUserCode ? 1u : 0);
        IsCrowded = BitOperations.PopCount(_looksInUserCode)
            >= (IsCrowded ? UserCodePolicy.LooksToStayCrowded : UserCodePolicy.LooksToBeCrowded);
        long progress = Volatile.Read(ref _progress);
        if (progress != _seenProgress)
        {
            _seenProgress = progress;
            _seenAt = now;
            _sightings = 0;
            return true;
        }

        if (!IsInUserCode)
        {
            return false;
        }

        IsUrgent = true;
        TimeSpan limit = HandOverAfter;

        if (++_sightings >= UserCodePolicy.LooksToHandOver
            && limit != Timeout.InfiniteTimeSpan && TimeProvider.System.GetElapsedTime(_seenAt, now) >= limit)
        {
            RequestTakeOver(progress);
        }

        return true;
    }

    /// <summary>
    /// The loop. Called on a thread that has just got the role: at the start, or in the middle of what the thread before did. Returns when
    /// the role is lost or the loop has ended.
    /// </summary>
    /// <param name="role">The thread's hold on this loop; to be asked after each call into the pipeline.</param>
    protected abstract void Run(ReceiveRole role);

    /// <summary>
    /// Begins with something new, such as what was just received. From here on the thread keeps the time (<see cref="StageTime"/>) that
    /// it reads next; a loop that never calls this reads the clock each time.
    /// </summary>
    protected void BeginTurn()
    {
        StageTime.Begin();
        IsUrgent = false;
        MarkProgress();
    }

    /// <summary>
    /// Begins with something new that shares the time of the turn before. The caller forgets the time after
    /// <see cref="UserCodePolicy.TurnsOfOneTime"/> turns and whenever it waited.
    /// </summary>
    protected void MarkProgress() => Volatile.Write(ref _progress, _progress + 1);

    protected void MarkEnded() => Watchdog.Remove(this);

    private static void RunAs(ReceiveRole role)
    {
        ReceiveLoop loop = role.Loop;
        UserCode.Role = role;
        try
        {
            while (true)
            {
                try
                {
                    loop.Run(role);
                    return;
                }
#pragma warning disable CA1031 // the loop must go on: an endpoint that is up and does not receive is worse
                catch (Exception exception)
#pragma warning restore CA1031
                {
                    if (loop.ActiveContext is { } context)
                    {
                        context.Counters.Add(CoapCounter.StageErrors);
                        Report(context, exception);
                    }

                    if (!role.Settle())
                    {
                        return;
                    }

                    ReceiveWatchdog.Pause();
                }
            }
        }
        finally
        {
            UserCode.Role = null;
            StageTime.End();
        }
    }

    // A logger is foreign code.
    private static void Report(ICoapTransportContext context, Exception exception)
    {
        try
        {
            Log.ReceiveLoopFailed(context.Logger, exception);
        }
#pragma warning disable CA1031 // the counter has it
        catch (Exception)
#pragma warning restore CA1031
        {
        }
    }

    private void RequestTakeOver(long progress)
    {
        if (Interlocked.Exchange(ref _takeOverPending, 1) != 0)
        {
            return;
        }

        _takeOverProgress = progress;
        if (_scheduler.TryQueue(static state => ((ReceiveLoop)state!).TakeOver(), this, ActiveContext?.Counters, ActiveContext?.Logger))
        {
            _starved = false;
            return;
        }

        Volatile.Write(ref _takeOverPending, 0);
        if (!_starved && ActiveContext is { } context)
        {
            _starved = true;
            Log.NoStandbyThread(context.Logger);
        }
    }

    private void TakeOver()
    {
        ReceiveRole stuck = Volatile.Read(ref _holder)!;
        if (Volatile.Read(ref _progress) != _takeOverProgress || !stuck.TryTake())
        {
            Volatile.Write(ref _takeOverPending, 0);
            return;
        }

        ReceiveRole role = new(this);
        Volatile.Write(ref _holder, role);
        BeginTurn();
        Volatile.Write(ref _takeOverPending, 0);
        if (ActiveContext is { } context)
        {
            context.Counters.Add(CoapCounter.HandOvers);
            Log.HandedOver(context.Logger);
        }

        RunAs(role);
    }
}
