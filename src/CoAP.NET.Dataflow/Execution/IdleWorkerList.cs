using System.Diagnostics.CodeAnalysis;

namespace CoAP.NET.Execution;

/// <summary>
/// Tracks the threads of a scheduler, up to a limit, and which of them are idle. Work never goes to an idle thread that is ending.
/// Thread-safe.
/// </summary>
/// <typeparam name="T">The type of a thread.</typeparam>
/// <param name="max">The maximum number of threads.</param>
internal sealed class IdleWorkerList<T>(int max)
    where T : class
{
    private readonly Lock _gate = new();

    // The most recently idle thread works first: its stack is warm, and the others age until they end.
    private readonly List<T> _idle = [];
    private int _count;

    /// <summary>The number of threads, working or idle.</summary>
    public int Count
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

    /// <summary>Takes an idle thread, which the caller must give work: it no longer ends.</summary>
    public bool TryTakeIdle([NotNullWhen(true)] out T? thread)
    {
        lock (_gate)
        {
            thread = _idle.Count > 0 ? _idle[^1] : null;
            if (thread is not null)
            {
                _idle.RemoveAt(_idle.Count - 1);
            }

            return thread is not null;
        }
    }

    /// <summary>Takes a place for a thread that is about to start.</summary>
    /// <returns>Whether there was a free place.</returns>
    public bool TryAdd()
    {
        lock (_gate)
        {
            if (_count == max)
            {
                return false;
            }

            _count++;
            return true;
        }
    }

    /// <summary>Frees the place of a working thread, for example of one that could not start.</summary>
    public void Remove()
    {
        lock (_gate)
        {
            _count--;
        }
    }

    /// <summary>Marks a thread as idle.</summary>
    public void Rest(T thread)
    {
        lock (_gate)
        {
            _idle.Add(thread);
        }
    }

    /// <summary>Whether an idle thread may end. Not if it was just taken: its work follows.</summary>
    public bool TryLeave(T thread)
    {
        lock (_gate)
        {
            if (!_idle.Remove(thread))
            {
                return false;
            }

            _count--;
            return true;
        }
    }
}
