using System.Runtime.Versioning;

namespace CoAP.NET.Execution;

/// <summary>
/// A set of background threads. It starts a thread when there is work and no thread is idle, up to a limit, and ends it after some
/// seconds without work. It never queues: accepted work has a thread.
/// </summary>
[UnsupportedOSPlatform("browser")]
internal sealed class CoapThreadPool : CoapThreadScheduler
{
    private readonly IdleWorkerList<Worker> _places;
    private readonly TimeSpan _idleTime;
    private long _failures;

    /// <summary>Creates a set of threads; none runs yet.</summary>
    /// <param name="maxThreads">The maximum number of threads; at least 1.</param>
    /// <param name="idleTime">How long an idle thread waits for work; default <see cref="UserCodePolicy.IdleThreadFor"/>.</param>
    public CoapThreadPool(int maxThreads = UserCodePolicy.MaxThreads, TimeSpan? idleTime = null)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(maxThreads, 1);
        _places = new IdleWorkerList<Worker>(maxThreads);
        _idleTime = idleTime ?? UserCodePolicy.IdleThreadFor;
    }

    /// <summary>The number of threads, working or idle.</summary>
    public int ThreadCount => _places.Count;

    /// <summary>The number of idle threads.</summary>
    public int IdleCount => _places.IdleCount;

    /// <summary>How often work threw, although it must not. The thread and the process continue.</summary>
    public long Failures => Volatile.Read(ref _failures);

    public override bool Queue(Action<object?> work, object? state)
    {
        ArgumentNullException.ThrowIfNull(work);
        if (_places.TryTakeIdle(out Worker? worker))
        {
            worker.Give(work, state);
            return true;
        }

        if (!_places.TryAdd())
        {
            return false;
        }

        worker = new Worker(this, work, state);
        try
        {
            worker.Start();
            return true;
        }
        catch (Exception exception) when (exception is OutOfMemoryException or ThreadStartException)
        {
            // The operating system refuses more threads; treated like the limit.
            _places.Remove();
            return false;
        }
    }

    private sealed class Worker(CoapThreadPool owner, Action<object?> work, object? state) : IDisposable
    {
        private static readonly Action<object?> s_nothing = static _ => { };

        private readonly SemaphoreSlim _given = new(0, 1);

        // Written before the thread starts, or before the semaphore is released: one item at a time.
        private Action<object?> _work = work;
        private object? _state = state;

        public void Start() => new Thread(Run) { IsBackground = true, Name = "CoAP.NET" }.UnsafeStart();

        public void Give(Action<object?> work, object? state)
        {
            _work = work;
            _state = state;
            _given.Release();
        }

        public void Dispose() => _given.Dispose();

        private void Run()
        {
            // A thread that was started without a context has the default one; changes by one work item do not reach the next one.
            ExecutionContext clean = ExecutionContext.Capture()!;
            while (true)
            {
                ExecutionContext.Run(clean, static worker => ((Worker)worker!).Work(), this);
                owner._places.Rest(this);
                if (_given.Wait(owner._idleTime))
                {
                    continue;
                }

                if (owner._places.TryLeave(this))
                {
                    Dispose();
                    return;
                }

                _given.Wait(); // it got work at the last moment: does not block
            }
        }

        private void Work()
        {
            try
            {
                _work(_state);
            }
#pragma warning disable CA1031 // an exception on a library thread would end the process
            catch (Exception)
#pragma warning restore CA1031
            {
                Interlocked.Increment(ref owner._failures);
            }

            // An idle thread must not keep its last work from being collected.
            _work = s_nothing;
            _state = null;
        }
    }
}
