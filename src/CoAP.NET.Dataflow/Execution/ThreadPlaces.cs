using System.Diagnostics.CodeAnalysis;

namespace CoAP.NET;

/// <summary>
/// The threads that a scheduler has, at most a bound of them, and which of them are idle. Work that is given to an idle thread never meets
/// one that ends. Thread-safe.
/// </summary>
/// <typeparam name="T">A thread.</typeparam>
/// <param name="max">The most threads at a time.</param>
internal sealed class ThreadPlaces<T>(int max)
    where T : class
{
    private readonly Lock _gate = new();

    // The one that went idle last works first: its stack is warm, and the others grow old enough to end.
    private readonly List<T> _idle = [];
    private int _count;

    /// <summary>How many there are, working or idle.</summary>
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

    /// <summary>How many are idle.</summary>
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

    /// <summary>Takes an idle thread, which must be given work: it does not end any more.</summary>
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
    /// <returns>Whether there was one.</returns>
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

    /// <summary>Gives the place of a working thread back, such as of one that could not start.</summary>
    public void Remove()
    {
        lock (_gate)
        {
            _count--;
        }
    }

    /// <summary>A thread has done its work and is idle.</summary>
    public void Rest(T thread)
    {
        lock (_gate)
        {
            _idle.Add(thread);
        }
    }

    /// <summary>An idle thread asks whether it may end. Not when it was taken just now: then its work comes.</summary>
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
