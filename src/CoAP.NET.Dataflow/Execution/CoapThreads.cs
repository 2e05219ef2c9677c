using System.Collections.Concurrent;

namespace CoAP.NET;

/// <summary>Background threads that are started when there is work and none is idle, up to a bound, and end after a minute without work.</summary>
#pragma warning disable CA1001 // lives as long as the process
internal sealed class CoapThreads : CoapScheduler
{
    private static readonly TimeSpan s_idle = TimeSpan.FromMinutes(1);

    private readonly ConcurrentQueue<(Action<object?> Work, object? State)> _queue = new();
    private readonly SemaphoreSlim _available = new(0);
    private readonly Lock _gate = new();
    private readonly int _maxThreads;
    private int _threads;
    private int _spare;

    public CoapThreads(int maxThreads = 4096) => _maxThreads = maxThreads;

    public override bool Queue(Action<object?> work, object? state)
    {
        bool start = false;
        lock (_gate)
        {
            // Each item takes one spare thread, or a new one; beyond the bound it waits for a thread to come free.
            if (_spare > 0)
            {
                _spare--;
            }
            else if (_threads < _maxThreads)
            {
                _threads++;
                start = true;
            }
            else
            {
                return false;
            }
        }

        _queue.Enqueue((work, state));
        _available.Release();
        if (start)
        {
            new Thread(Run) { IsBackground = true, Name = "CoAP.NET" }.UnsafeStart();
        }

        return true;
    }

    private void Run()
    {
        while (true)
        {
            if (!_available.Wait(s_idle))
            {
                lock (_gate)
                {
                    if (_spare > 0)
                    {
                        _spare--;
                        _threads--;
                        return;
                    }
                }

                continue;
            }

            if (_queue.TryDequeue(out (Action<object?> Work, object? State) item))
            {
                ExecutionContext? clean = ExecutionContext.Capture();
                item.Work(item.State);
                if (clean is not null)
                {
                    ExecutionContext.Restore(clean);
                }
            }

            lock (_gate)
            {
                _spare++;
            }
        }
    }
}
