using System.Diagnostics;

namespace CoAP.NET.Testing;

/// <summary>Waits until the thread pool has nothing left to run, without sleeping.</summary>
#pragma warning disable RS0030 // looks at the pool and at real time; nothing is queued here, and real time only bounds how long foreign threads are waited for
internal static class PoolQuiescence
{
    private const int LooksInARow = 2;
    private const int YieldsBetweenHops = 32;
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(1);

    // How many threads of the pool are busy for good, with work that is not ours.
    private static int s_foreign;

    /// <summary>Ends when the pool is quiet or the condition is true.</summary>
    public static async Task SettleAsync(Func<bool> condition)
    {
        long started = Stopwatch.GetTimestamp();
        int quiet = 0;
        while (true)
        {
            // A hop to the end of the pool's queue: what was queued before has been taken by a thread when this goes on.
            await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
            for (int i = 0; i < YieldsBetweenHops; i++)
            {
                if (condition())
                {
                    return;
                }

                int others = BusyOthers();
                if (others < Volatile.Read(ref s_foreign))
                {
                    Volatile.Write(ref s_foreign, others);
                }

                quiet = others <= Volatile.Read(ref s_foreign) ? quiet + 1 : 0;
                if (quiet >= LooksInARow)
                {
                    return;
                }

                Thread.Yield();
            }

            if (Stopwatch.GetElapsedTime(started) > s_patience)
            {
                Volatile.Write(ref s_foreign, BusyOthers());
                return;
            }
        }
    }

    /// <summary>How many other threads of the pool run something or are about to; a queue that is not empty counts as at least one more than is tolerated.</summary>
    private static int BusyOthers()
    {
        if (ThreadPool.PendingWorkItemCount > 0)
        {
            return int.MaxValue;
        }

        ThreadPool.GetMaxThreads(out int most, out _);
        ThreadPool.GetAvailableThreads(out int available, out _);

        // Looked at again: a thread may have queued something and ended between the two.
        return ThreadPool.PendingWorkItemCount > 0 ? int.MaxValue : Math.Max(0, most - available - 1);
    }
}
