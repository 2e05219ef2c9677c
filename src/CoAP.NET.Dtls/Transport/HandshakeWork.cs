namespace CoAP.NET.Dtls.Transport;

/// <summary>
/// The work of handshakes, on few threads of the scheduler: two for each processor, as more would only take turns. Users' code may wait in
/// it (key stores, validations), so another thread is started whenever some work has waited for too long.
/// </summary>
/// <param name="queue">Has a thread of the scheduler do something; false when there is none.</param>
/// <param name="time">The clock.</param>
/// <param name="patience">How long work may wait for one of the threads.</param>
internal sealed class HandshakeWork(Func<Action<object?>, object?, bool> queue, TimeProvider time, TimeSpan patience)
{
    private const int MinThreads = 4;

    private readonly Lock _gate = new();
    private readonly Queue<(Action Work, long Since)> _queue = new();
    private readonly int _usual = Math.Max(MinThreads, 2 * Environment.ProcessorCount);
    private int _threads;

    /// <summary>How many threads work as long as none of it has to wait.</summary>
    public int UsualThreads => _usual;

    /// <summary>How many threads work.</summary>
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

    /// <summary>Has work done, soon, by another thread.</summary>
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

    /// <summary>Starts another thread when work has waited for too long. To be called now and then.</summary>
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
        if (!queue(static self => ((HandshakeWork)self!).Work(), this))
        {
            // No thread is to be had: better slow than never.
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
