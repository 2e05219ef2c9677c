#pragma warning disable RS0030 // the pool is what is looked at here
using System.Diagnostics;

namespace CoAP.NET.Testing;

/// <summary>
/// Waits until every other thread of the process sleeps and the thread pool has nothing queued: then nothing happens any more until the
/// clock goes on. The thread pool's own count of busy threads would not do: test runners block some of them for good.
/// </summary>
/// <param name="patience">That of the clock.</param>
internal sealed class Quiescence(Patience patience) : IDisposable
{
    private const int LooksInARow = 2;

    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(1);

    // So many looks follow each other without a pause: most threads that run now sleep in a moment. A look takes some 10 to 100 µs under
    // Linux, and milliseconds elsewhere.
    private static readonly int s_quickLooks = OperatingSystem.IsLinux() ? 200 : 2;

    private readonly LinuxThreads? _threads = OperatingSystem.IsLinux() ? LinuxThreads.Take() : null;

    public void Dispose() => _threads?.GiveBack();

    /// <summary>
    /// Ends when all is quiet, the condition is true, or patience is at an end. Called on a thread that nobody waits for.
    /// </summary>
    public async ValueTask SettleAsync(Func<bool> condition)
    {
        int limit = patience.OfStep;
        int quiet = 0;
        int vain = 0;
        long completed = 0;
        while (!condition())
        {
            // Threads are looked at one after the other: one that looked asleep may have been woken by one that fell asleep since, as where
            // threads wait for each other's locks. Hence no thread may fall asleep during the last look, which is close; and where the
            // system does not tell that, or not where threads wait, it is the second one, with no work item that ended between both.
            // Threads are listed before the last look only, which is not the last one of those that it finds to have begun. What falls
            // asleep is counted from before the list on: a thread may begin another one, as the pool does, and fall asleep behind the list.
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
                // Not before: counting takes the locks of the pool's queues, and a thread that finds one of them taken may sleep for a
                // millisecond, with a work item in its hands that nobody counts.
                if (ThreadPool.PendingWorkItemCount == 0)
                {
                    patience.Regain();
                    return;
                }

                // This thread may be the only one that can run it.
                quiet = 0;
                await HopAsync().ConfigureAwait(false);
            }

            if (quiet == 0 && ++vain > s_quickLooks)
            {
                // Leaves its processor to those that run, or want to.
                Thread.Sleep(s_pause);
                patience.Spend();
                if (--limit == 0)
                {
                    return;
                }
            }
        }
    }

    /// <summary>Goes on on a thread of the pool, after everything that was queued there before; a yield would go on before it.</summary>
    private static Task HopAsync()
    {
        TaskCompletionSource hop = new();
        ThreadPool.UnsafeQueueUserWorkItem(static hop => hop.SetResult(), hop, preferLocal: false);
        return hop.Task;
    }

    private bool TellsSleeps => _threads is { TellsWaits: true } && LinuxSleeps.AreCounted;

    private long CountSleeps() => _threads is null ? 0 : LinuxSleeps.Count();

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
            // Ready but waiting for a processor counts as running. This thread is one of them.
            if (thread.ThreadState is not (System.Diagnostics.ThreadState.Wait or System.Diagnostics.ThreadState.Terminated)
                && ++running > 1)
            {
                return true;
            }
        }

        return false;
    }
}
