using System.Runtime.Versioning;

namespace CoAP.NET.Execution;

/// <summary>
/// A set of background threads. It starts a thread when there is work and no thread is idle, up to a limit, and ends it after some
/// seconds without work. It never queues: accepted work has a thread.
/// </summary>
[UnsupportedOSPlatform("browser")]
internal sealed class CoapThreadPool : CoapThreadScheduler
{
    private readonly Lock _gate = new();
    private readonly int _maxThreads;
    private readonly TimeSpan _idleTime;

    // Guarded by _gate. The most recently idle thread works first: its stack is warm, and the others age until they end.
    private readonly List<Worker> _idle = [];
    private int _count;
    private long _failures;

    /// <summary>Creates a set of threads; none runs yet.</summary>
    /// <param name="maxThreads">The maximum number of threads; at least 1.</param>
    /// <param name="idleTime">How long an idle thread waits for work; default <see cref="UserCodePolicy.IdleThreadFor"/>.</param>
    public CoapThreadPool(int maxThreads = UserCodePolicy.MaxThreads, TimeSpan? idleTime = null)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(maxThreads, 1);
        _maxThreads = maxThreads;
        _idleTime = idleTime ?? UserCodePolicy.IdleThreadFor;
        Handlers = new HandlerThreadLimiter(this, Math.Max(1, maxThreads / 2));
    }

    /// <summary>The threads that run handlers: at most half, so that receive loops find a stand-by.</summary>
    public HandlerThreadLimiter Handlers { get; }

    /// <summary>The number of threads, working or idle.</summary>
    public int ThreadCount
    {
        get
        {
            lock (_gate)
            {
                return _count;
            }
        }
    }

    /// <summary>The number of idle threads.</summary>
    public int IdleCount
    {
        get
        {
            lock (_gate)
            {
                return _idle.Count;
            }
        }
    }

    /// <summary>How often work threw, although it must not. The thread and the process continue.</summary>
    public long Failures => Volatile.Read(ref _failures);

    public override bool Queue(Action<object?> work, object? state)
    {
        ArgumentNullException.ThrowIfNull(work);
        Worker worker;
        bool isIdle;
        lock (_gate)
        {
            isIdle = _idle.Count > 0;
            if (isIdle)
            {
                worker = _idle[^1];
                _idle.RemoveAt(_idle.Count - 1);
            }
            else if (_count == _maxThreads)
            {
                return false;
            }
            else
            {
                _count++;
                worker = new Worker(this, work, state);
            }
        }

        if (isIdle)
        {
            worker.Give(work, state);
            return true;
        }

        try
        {
            worker.Start();
            return true;
        }
        catch (Exception exception) when (exception is OutOfMemoryException or ThreadStartException)
        {
            // The operating system refuses more threads; treated like the limit.
            lock (_gate)
            {
                _count--;
            }

            return false;
        }
    }

    private void Rest(Worker worker)
    {
        lock (_gate)
        {
            _idle.Add(worker);
        }
    }

    // Not if it was just taken: its work follows.
    private bool TryLeave(Worker worker)
    {
        lock (_gate)
        {
            bool leaves = _idle.Remove(worker);
            _count -= leaves ? 1 : 0;
            return leaves;
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
                owner.Rest(this);
                if (_given.Wait(owner._idleTime))
                {
                    continue;
                }

                if (owner.TryLeave(this))
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
