namespace CoAP.NET.Dtls.Transport;

/// <summary>
/// Runs the work of handshakes on few threads of the scheduler: two per processor, because more would only take turns. User code may block
/// in it (key stores, validations), so it starts another thread when some work has waited for too long.
/// </summary>
/// <param name="queue">Runs a delegate on a thread of the scheduler; false if there is none.</param>
/// <param name="time">The clock.</param>
/// <param name="patience">How long work may wait for one of the threads.</param>
internal sealed class HandshakeScheduler(Func<Action<object?>, object?, bool> queue, TimeProvider time, TimeSpan patience)
{
    private const int MinThreads = 4;

    private readonly Lock _gate = new();
    private readonly Queue<(Action Work, long Since)> _queue = new();
    private readonly int _usual = Math.Max(MinThreads, 2 * Environment.ProcessorCount);
    private int _threads;

    /// <summary>Number of threads while no work has to wait for long.</summary>
    public int UsualThreads => _usual;

    /// <summary>Number of running threads.</summary>
    public int Threads
    {
        get
        {
            lock (_gate)
            {
                return _threads;
            }
        }
    }

    /// <summary>Queues work for another thread.</summary>
    /// <param name="work">The work; it must not throw.</param>
    public void Run(Action work)
    {
        lock (_gate)
        {
            _queue.Enqueue((work, time.GetTimestamp()));
            if (_threads >= _usual && !IsLate())
            {
                return;
            }

            _threads++;
        }

        Start();
    }

    /// <summary>Starts another thread if work has waited for too long. Call it now and then.</summary>
    public void Look()
    {
        lock (_gate)
        {
            if (!IsLate())
            {
                return;
            }

            _threads++;
        }

        Start();
    }

    private bool IsLate() => _queue.TryPeek(out (Action Work, long Since) first) && time.GetElapsedTime(first.Since) >= patience;

    private void Start()
    {
        if (!queue(static self => ((HandshakeScheduler)self!).Work(), this))
        {
            // The scheduler has no thread left: slow progress is better than none.
#pragma warning disable RS0030 // the scheduler has just refused
            ThreadPool.UnsafeQueueUserWorkItem(static self => self.Work(), this, preferLocal: false);
#pragma warning restore RS0030
        }
    }

    private void Work()
    {
        bool isOver = false;
        try
        {
            while (TryTake(out Action? work))
            {
                work();
            }

            isOver = true;
        }
        finally
        {
            if (!isOver)
            {
                lock (_gate)
                {
                    _threads--;
                }
            }
        }
    }

    private bool TryTake([System.Diagnostics.CodeAnalysis.NotNullWhen(true)] out Action? work)
    {
        lock (_gate)
        {
            if (_queue.TryDequeue(out (Action Work, long Since) first))
            {
                work = first.Work;
                return true;
            }

            _threads--;
            work = null;
            return false;
        }
    }
}
