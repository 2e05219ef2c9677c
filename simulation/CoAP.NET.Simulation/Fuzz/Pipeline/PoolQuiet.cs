#pragma warning disable RS0030 // it is the thread pool whose silence is waited for
namespace CoAP.NET.Simulation.Fuzz;

/// <summary>
/// Waits until the thread pool has nothing to do: what the library's asynchronous methods go on with must be done before virtual time
/// passes, or a run would depend on how fast threads are. Each of the pool's workers is given something that waits for the others; when all
/// of them are there, nothing else runs.
/// </summary>
internal static class PoolQuiet
{
    private static readonly TimeSpan s_look = TimeSpan.FromMilliseconds(100);

    // A thread that is free may get no processor for a while on a loaded machine. Taken for blocked, it would not be waited for, and what
    // it runs would not have ended.
    private const int LooksWithoutChange = 30;
    private const int FreeThreadLooks = 200;
    private const int LeastFreeThreadLooks = 10;

    // How many of the pool's threads can meet; others may be blocked for good by whoever hosts this process.
    private static int s_workers;

    /// <summary>Bounds the pool, so that it is known how many there are to wait for.</summary>
    /// <returns>Gives the pool back its bounds.</returns>
    public static IDisposable Bound()
    {
        ThreadPool.GetMinThreads(out int min, out int minIo);
        ThreadPool.GetMaxThreads(out int max, out int maxIo);
        lock (typeof(string))
        {
            Measure();
        }

        return new Bounds(() =>
        {
            ThreadPool.SetMaxThreads(max, maxIo);
            ThreadPool.SetMinThreads(min, minIo);
        });
    }

    public static void Wait()
    {
        // The one pool serves both workers of a campaign, each of which has this class for itself.
        lock (typeof(string))
        {
            while (true)
            {
                Meeting meeting = new(s_workers);
                for (int i = 0; i < s_workers; i++)
                {
                    ThreadPool.UnsafeQueueUserWorkItem(meeting, preferLocal: false);
                }

                if (!meeting.Wait())
                {
                    Measure();
                }
                else if (ThreadPool.PendingWorkItemCount == 0)
                {
                    return;
                }
            }
        }
    }

    // With a bound so large that two are free at least, whoever else sits on threads of the pool.
    private static void Measure()
    {
        ThreadPool.GetMaxThreads(out _, out int maxIo);
        ThreadPool.GetMinThreads(out int min, out int minIo);
        s_workers = 0;
        for (int bound = Math.Max(2, Environment.ProcessorCount); s_workers < 2 && bound <= 256; bound *= 2)
        {
            ThreadPool.SetMaxThreads(Math.Max(bound, min), maxIo);
            ThreadPool.SetMinThreads(bound, minIo);
            ThreadPool.SetMaxThreads(bound, maxIo);
            s_workers = CountFree(bound);
        }
    }

    private static int CountFree(int bound)
    {
        int there = 0;

        // Not disposed: those that found no thread come to it later.
        ManualResetEventSlim all = new();
        for (int i = 0; i < bound; i++)
        {
            ThreadPool.UnsafeQueueUserWorkItem(
                _ =>
                {
                    Interlocked.Increment(ref there);
                    all.Wait();
                },
                null);
        }

        int before = -1;
        for (int i = 0; i < 2 * FreeThreadLooks && there < bound && (i < LeastFreeThreadLooks || before != there || MayMoreCome(i)); i++)
        {
            before = there;
            Thread.Sleep(5);
        }

        int free = Volatile.Read(ref there);
        all.Set();
        return free;
    }

    // Those that are there sleep: one that only waits for a processor is told apart from those that are blocked. Elsewhere than on Linux
    // the time alone tells.
    private static bool MayMoreCome(int looks) => looks < FreeThreadLooks && (!OperatingSystem.IsLinux() || IsAnotherThreadReady());

    private static bool IsAnotherThreadReady()
    {
        int ready = 0;
        foreach (string thread in Directory.EnumerateDirectories("/proc/self/task"))
        {
            try
            {
                // "1234 (name) S ...": the name may have anything in it. This thread is ready as well.
                string stat = File.ReadAllText($"{thread}/stat");
                ready += stat[stat.LastIndexOf(')') + 2] is 'R' or 'D' ? 1 : 0;
            }
            catch (IOException)
            {
                // It ended just now.
            }
        }

        return ready > 1;
    }

    private sealed class Bounds(Action end) : IDisposable
    {
        public void Dispose() => end();
    }

    private sealed class Meeting(int count) : IThreadPoolWorkItem
    {
        private readonly ManualResetEventSlim _done = new(false, 200);
        private int _missing = count;
        private volatile bool _isGivenUp;

        /// <summary>Waits until all are there.</summary>
        /// <returns>False: some do not come, and no more of them come.</returns>
        public bool Wait()
        {
            int before = -1;
            int unchanged = 0;
            while (!_done.Wait(s_look))
            {
                int missing = Volatile.Read(ref _missing);
                unchanged = missing == before ? unchanged + 1 : 0;
                if (unchanged >= LooksWithoutChange && missing > 0)
                {
                    _isGivenUp = true;
                    return false;
                }

                before = missing;
            }

            return true;
        }

        public void Execute()
        {
            if (Interlocked.Decrement(ref _missing) == 0)
            {
                _done.Set();
                return;
            }

            SpinWait wait = default;
            while (Volatile.Read(ref _missing) > 0 && !_isGivenUp)
            {
                wait.SpinOnce(sleep1Threshold: -1);
            }
        }
    }
}
