using System.Diagnostics;

#pragma warning disable RS0030 // this class examines the pool

namespace CoAP.NET.Testing.Time;

/// <summary>
/// Waits until every other thread of the process sleeps and the thread pool has no queued work. Nothing then happens until the clock
/// advances. The thread pool's own count of busy threads is unsuitable, because test runners block some of them permanently.
/// </summary>
/// <param name="pauses">The pauses that the clock may still make.</param>
internal sealed class Quiescence(RealTimePauseBudget pauses) : IDisposable
{
    private const int LooksInARow = 2;

    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(1);

    // So many checks follow each other without a pause, because most running threads sleep within a moment. A check takes some 10 to 100 µs
    // on Linux, and milliseconds elsewhere. More checks take the processor from the threads that are waited for.
    private static readonly int s_quickLooks = OperatingSystem.IsLinux() ? 20 : 2;

    private readonly LinuxThreadStateReader? _threads = OperatingSystem.IsLinux() ? LinuxThreadStateReader.Take() : null;

    public void Dispose() => _threads?.GiveBack();

    /// <summary>
    /// Completes when the process is quiet, the condition is true, or no pauses are left. Call it on a thread that no other thread waits
    /// for.
    /// </summary>
    public async ValueTask SettleAsync(Func<bool> condition)
    {
        int limit = pauses.OfStep;
        int quiet = 0;
        int vain = 0;
        long completed = 0;
        while (!condition())
        {
            // Threads are checked one after the other. A thread that appeared asleep may have been woken by one that has fallen asleep
            // since then, for example when threads wait for each other's locks. Therefore no thread may fall asleep during the last, close
            // check. On systems that do not report this, or not where threads wait, two checks must agree, without a completed work item
            // between them. Threads are listed only before the last check; if that finds new threads, it is not the last one. Sleeps are
            // counted from before the listing: a thread may start another one, as the pool does, and fall asleep after the listing.
            long completedNow = ThreadPool.CompletedWorkItemCount;
            quiet = quiet > 0 && completedNow == completed ? quiet : TellsSleeps ? LooksInARow - 1 : 0;
            completed = completedNow;
            long sleeps = quiet > 0 ? CountSleeps() : 0;
            bool haveBegun = quiet > 0 && HaveOthersBegun();
            if (haveBegun || OthersRun(looksClosely: quiet > 0))
            {
                quiet = 0;
                Thread.Yield();
            }
            else if (quiet > 0 && CountSleeps() != sleeps)
            {
                quiet = 0;
            }
            else if (++quiet == LooksInARow)
            {
                // Not earlier: counting takes the locks of the pool's queues. A thread that finds one of them taken may sleep for a
                // millisecond while it holds a work item that is not counted.
                if (ThreadPool.PendingWorkItemCount == 0)
                {
                    pauses.Regain();
                    return;
                }

                // This thread may be the only one that can run it.
                quiet = 0;
                await HopAsync().ConfigureAwait(false);
            }

            if (quiet == 0 && ++vain > s_quickLooks)
            {
                // Yields its processor to threads that run or want to.
                Thread.Sleep(s_pause);
                pauses.Spend();
                if (--limit == 0)
                {
                    return;
                }
            }
        }
    }

    /// <summary>Continues on a pool thread after all work that is already queued; a yield would continue before it.</summary>
    private static Task HopAsync()
    {
        TaskCompletionSource hop = new();
        ThreadPool.UnsafeQueueUserWorkItem(static hop => hop.SetResult(), hop, preferLocal: false);
        return hop.Task;
    }

    private bool TellsSleeps => _threads is { TellsWaits: true } && LinuxContextSwitchCounter.IsSupported;

    private long CountSleeps() => _threads is null ? 0 : LinuxContextSwitchCounter.Count();

    private bool HaveOthersBegun() => _threads?.HaveOthersBegun() == true;

    private bool OthersRun(bool looksClosely)
    {
        if (_threads is not null)
        {
            return _threads.AreOthersRunning(looksClosely);
        }

        using Process self = Process.GetCurrentProcess();
        int running = 0;
        foreach (ProcessThread thread in self.Threads)
        {
            // A ready thread that waits for a processor counts as running. This thread is one of them.
            if (thread.ThreadState is not (System.Diagnostics.ThreadState.Wait or System.Diagnostics.ThreadState.Terminated)
                && ++running > 1)
            {
                return true;
            }
        }

        return false;
    }
}
