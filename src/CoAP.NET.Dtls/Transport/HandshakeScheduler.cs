namespace CoAP.NET.Dtls.Transport;

/// <summary>
/// Runs the work of handshakes on few threads of the scheduler: two per processor, because more would only take turns. User code may block
/// in it (key stores, validations), so it starts another thread when some work has waited for too long. The sources take turns, so that one
/// with many handshakes delays the others by one piece of work each. The numbers of handshakes and sessions bound the queue. Thread-safe.
/// </summary>
/// <param name="queue">Runs a delegate on a thread of the scheduler; false if there is none.</param>
/// <param name="time">The clock.</param>
/// <param name="maxWait">How long work may wait for one of the threads.</param>
internal sealed class HandshakeScheduler(Func<Action<object?>, object?, bool> queue, TimeProvider time, TimeSpan maxWait)
{
    private const int MinThreads = 4;

    private readonly Lock _gate = new();

    // In the order of arrival, to find what has waited for longest; those that were taken leave it later.
    private readonly Queue<Item> _arrived = new();
    private readonly Dictionary<uint, Queue<Item>> _bySource = [];

    // The sources with work, in the order of their turns.
    private readonly Queue<uint> _turns = new();
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
    /// <param name="source">The source that it is for. Its own work runs in the order of arrival.</param>
    /// <param name="work">The work; it must not throw.</param>
    public void Run(uint source, Action work)
    {
        lock (_gate)
        {
            Enqueue(source, new Item(work, time.GetTimestamp()));
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

    private void Enqueue(uint source, Item item)
    {
        _arrived.Enqueue(item);
        if (!_bySource.TryGetValue(source, out Queue<Item>? own))
        {
            _bySource.Add(source, own = new Queue<Item>());
            _turns.Enqueue(source);
        }

        own.Enqueue(item);
    }

    private bool IsLate() => _arrived.TryPeek(out Item? first) && time.GetElapsedTime(first.Since) >= maxWait;

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
            if (_turns.TryDequeue(out uint source))
            {
                Queue<Item> own = _bySource[source];
                Item item = own.Dequeue();
                if (own.Count > 0)
                {
                    _turns.Enqueue(source);
                }
                else
                {
                    _bySource.Remove(source);
                }

                item.IsTaken = true;
                while (_arrived.TryPeek(out Item? first) && first.IsTaken)
                {
                    _arrived.Dequeue();
                }

                work = item.Work;
                return true;
            }

            _threads--;
            work = null;
            return false;
        }
    }

    private sealed class Item(Action work, long since)
    {
        public Action Work => work;

        public long Since => since;

        public bool IsTaken { get; set; }
    }
}
