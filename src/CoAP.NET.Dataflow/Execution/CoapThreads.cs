namespace CoAP.NET;

/// <summary>
/// Background threads that are started when there is work and none is idle, up to a bound, and end after a minute without work.
/// Nothing is ever queued: work that was taken has a thread.
/// </summary>
internal sealed class CoapThreads : CoapScheduler
{
    private readonly ThreadPlaces<Worker> _places;
    private readonly TimeSpan _idleTime;
    private long _failures;

    /// <summary>Makes a set of threads; none runs yet.</summary>
    /// <param name="maxThreads">The most threads at a time; at least 1.</param>
    /// <param name="idleTime">How long a thread waits for work before it ends; default a minute.</param>
    public CoapThreads(int maxThreads = UserCodePolicy.MaxThreads, TimeSpan? idleTime = null)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(maxThreads, 1);
        _places = new ThreadPlaces<Worker>(maxThreads);
        _idleTime = idleTime ?? UserCodePolicy.IdleThreadFor;
    }

    /// <summary>How many threads there are, working or idle.</summary>
    public int ThreadCount => _places.Count;

    /// <summary>How many threads are idle.</summary>
    public int IdleCount => _places.IdleCount;

    /// <summary>How often work threw, although it must not. The thread and the process live on.</summary>
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
            // The operating system gives no more threads: as good as the bound.
            _places.Remove();
            return false;
        }
    }

    private sealed class Worker(CoapThreads owner, Action<object?> work, object? state) : IDisposable
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
            // A thread that was started without a context has the default one; nothing that work leaves in it reaches the next work.
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

                _given.Wait(); // it was given work at the last moment: does not block
            }
        }

        private void Work()
        {
            try
            {
                _work(_state);
            }
#pragma warning disable CA1031 // an exception on a thread of ours would end the process
            catch (Exception)
#pragma warning restore CA1031
            {
                Interlocked.Increment(ref owner._failures);
            }

            // An idle thread must not keep what it worked on from being collected.
            _work = s_nothing;
            _state = null;
        }
    }
}
