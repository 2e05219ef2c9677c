namespace CoAP.NET.Proxy.Admission;

/// <summary>
/// The requests that are under way: how many there may be in all, and of one source. A source never gets more than half of the places that
/// are free, so that one cannot keep the others out. Thread-safe.
/// </summary>
/// <typeparam name="TSource">What tells sources apart.</typeparam>
/// <param name="max">How many there may be.</param>
/// <param name="maxOfSource">How many of one source.</param>
internal sealed class RequestShares<TSource>(int max, int maxOfSource)
    where TSource : notnull
{
    private readonly Lock _gate = new();
    private readonly Dictionary<TSource, int> _held = [];
    private int _count;

    /// <summary>How many are under way.</summary>
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

    /// <summary>Takes a place.</summary>
    /// <param name="source">For whom.</param>
    /// <returns>Whether there was one; if so, <see cref="Exit"/> gives it back.</returns>
    public bool TryEnter(TSource source)
    {
        lock (_gate)
        {
            int held = _held.GetValueOrDefault(source);
            if (_count >= max || held >= Math.Min(maxOfSource, Math.Max(1, (max - _count + held) / 2)))
            {
                return false;
            }

            _held[source] = held + 1;
            _count++;
            return true;
        }
    }

    /// <summary>Gives a place back.</summary>
    /// <param name="source">Whose it was.</param>
    public void Exit(TSource source)
    {
        lock (_gate)
        {
            _count--;
            if (_held[source] == 1)
            {
                _held.Remove(source);
            }
            else
            {
                _held[source]--;
            }
        }
    }
}
