namespace CoAP.NET.Cluster;

/// <summary>
/// Remembers recently changed names of this node, to tell a node that starts to observe one whether it missed a change. Each change has a
/// number. Bounded: forgotten names may have changed. The caller locks.
/// </summary>
/// <param name="capacity">The number of remembered changes.</param>
internal sealed class ChangeMemory(int capacity)
{
    private readonly Queue<(ulong Hash, long Number)> _order = new();
    private readonly Dictionary<ulong, long> _last = [];
    private long _forgotten;

    /// <summary>The number of the last change; 0 before the first.</summary>
    public long Number { get; private set; }

    /// <summary>The maximum lag of a node's number without a message to it.</summary>
    public int Lag => capacity / 4;

    public void Add(ulong hash)
    {
        Number++;
        _last[hash] = Number;
        _order.Enqueue((hash, Number));
        if (_order.Count > capacity)
        {
            (ulong oldest, long number) = _order.Dequeue();
            if (_last[oldest] == number)
            {
                _last.Remove(oldest);
                _forgotten = number;
            }
        }
    }

    /// <summary>Whether a name may have changed since a number.</summary>
    public bool MayHaveChanged(ulong hash, long since) =>
        since < _forgotten || (_last.TryGetValue(hash, out long number) && number > since);
}
