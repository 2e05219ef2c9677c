using System.Numerics;

namespace CoAP.NET.Execution;

/// <summary>
/// A loop that receives datagrams and processes each to completion on the receiving thread. When user code blocks, a stand-by thread takes
/// the role with everything that is not yet dispatched or sent; the blocked thread keeps its one exchange.
/// </summary>
internal abstract class ReceiveLoop : IWatched
{
    private readonly CoapThreadScheduler _scheduler;
    private ReceiveLoopOwnership? _holder;
    private long _progress;
    private int _takeOverPending;
    private long _takeOverProgress;

    // The watchdog's last observation. Only for its thread.
    private long _seenProgress = -1;
    private long _seenAt;
    private bool _starved;
    private uint _looksInUserCode;

    protected ReceiveLoop(CoapThreadScheduler scheduler)
    {
        _scheduler = scheduler;
        Watchdog = Watchdog.Of(scheduler);
    }

    public Watchdog Watchdog { get; }

    /// <summary>Whether a stand-by takes the role of a thread whose user code blocks.</summary>
    public bool HandsOver => HandOverAfter != Timeout.InfiniteTimeSpan;

    public bool IsInUserCode => Volatile.Read(ref _holder) is { IsInUserCode: true };

    bool IWatched.MustWatch => IsInUserCode;

    /// <summary>The transport of the current datagram, error or tick. Thread-safe.</summary>
    protected abstract LoopCountersAndLogger? ActiveReports { get; }

    /// <summary>How long user code may delay others; <see cref="Timeout.InfiniteTimeSpan"/> for no limit.</summary>
    protected abstract TimeSpan HandOverAfter { get; }

    /// <summary>Whether the watchdog found that the loop has processed the same item for long.</summary>
    public bool HasBeenLong => IsUrgent;

    /// <summary>
    /// Whether the loop was lately busy mostly with user code, so it hardly keeps up. The watchdog samples it at no cost for the loop.
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
    /// <returns>Whether a thread was available.</returns>
    public bool TryStart()
    {
        ReceiveLoopOwnership role = new(this);
        _holder = role;
        Watchdog.Add(this);
        if (_scheduler.TryQueue(static state => RunAs((ReceiveLoopOwnership)state!), role, ActiveReports?.Counters, ActiveReports?.Logger))
        {
            return true;
        }

        Watchdog.Remove(this);
        return false;
    }

    /// <inheritdoc/>
    public bool Look(long now)
    {
        bool isInUserCode = IsInUserCode;
        _looksInUserCode = (_looksInUserCode << 1) | (isInUserCode ? 1u : 0);
        IsCrowded = BitOperations.PopCount(_looksInUserCode) > Watchdog.LooksRemembered / 2;
        long progress = Volatile.Read(ref _progress);
        if (progress != _seenProgress)
        {
            _seenProgress = progress;
            _seenAt = now;
            return true;
        }

        if (!isInUserCode)
        {
            return false;
        }

        // Not at the first look that finds it: a pause of the whole process, however long, is one look.
        TimeSpan limit = HandOverAfter;
        if (IsUrgent && limit != Timeout.InfiniteTimeSpan && TimeProvider.System.GetElapsedTime(_seenAt, now) >= limit)
        {
            RequestTakeOver(progress);
        }

        IsUrgent = true;
        return true;
    }

    /// <summary>
    /// The loop. Called on a thread that has just got the role: at the start, or in the middle of the previous thread's work. Returns when
    /// the role is lost or the loop has ended.
    /// </summary>
    /// <param name="role">The thread's hold on this loop; check it after each call into the pipeline.</param>
    protected abstract void Run(ReceiveLoopOwnership role);

    /// <summary>Begins a new item, such as a received datagram.</summary>
    protected void BeginTurn()
    {
        IsUrgent = false;
        Volatile.Write(ref _progress, _progress + 1);
    }

    protected void MarkEnded() => Watchdog.Remove(this);

    private static void RunAs(ReceiveLoopOwnership role)
    {
        ReceiveLoop loop = role.Loop;
        UserCodeScope.Role = role;
        try
        {
            while (true)
            {
                try
                {
                    loop.Run(role);
                    return;
                }
#pragma warning disable CA1031 // the loop must continue: an endpoint that is up and does not receive is worse
                catch (Exception exception)
#pragma warning restore CA1031
                {
                    if (loop.ActiveReports is { } reports)
                    {
                        reports.Counters.Add(CoapCounter.StageErrors);
                        Report(reports, exception);
                    }

                    if (!role.ExitAll())
                    {
                        return;
                    }

                    Watchdog.Pause();
                }
            }
        }
        finally
        {
            UserCodeScope.Role = null;
        }
    }

    // A logger is foreign code.
    private static void Report(LoopCountersAndLogger reports, Exception exception)
    {
        try
        {
            ReceiveLog.ReceiveLoopFailed(reports.Logger, exception);
        }
#pragma warning disable CA1031 // the exception is already counted
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
        if (_scheduler.TryQueue(static state => ((ReceiveLoop)state!).TakeOver(), this, ActiveReports?.Counters, ActiveReports?.Logger))
        {
            _starved = false;
            return;
        }

        Volatile.Write(ref _takeOverPending, 0);
        if (!_starved && ActiveReports is { } reports)
        {
            _starved = true;
            ReceiveLog.NoStandbyThread(reports.Logger);
        }
    }

    private void TakeOver()
    {
        ReceiveLoopOwnership stuck = Volatile.Read(ref _holder)!;
        if (Volatile.Read(ref _progress) != _takeOverProgress || !stuck.TakeOver())
        {
            Volatile.Write(ref _takeOverPending, 0);
            return;
        }

        ReceiveLoopOwnership role = new(this);
        Volatile.Write(ref _holder, role);
        BeginTurn();
        Volatile.Write(ref _takeOverPending, 0);
        if (ActiveReports is { } reports)
        {
            reports.Counters.Add(CoapCounter.HandOvers);
            ReceiveLog.HandedOver(reports.Logger);
        }

        RunAs(role);
    }
}
