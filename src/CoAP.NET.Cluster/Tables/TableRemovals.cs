namespace CoAP.NET.Cluster;

/// <summary>The recently removed entries of a slot, for nodes that do not know of their removal yet. Bounded; the caller locks.</summary>
internal sealed class TableRemovals
{
    /// <summary>The maximum number: 256 per slot.</summary>
    public const int Most = 256;

    private readonly Queue<TableRemoval> _all = new();

    /// <summary>Adds a removal.</summary>
    /// <returns>The removal that is forgotten for it; null if there is room.</returns>
    public TableRemoval? Add(TableRemoval removal)
    {
        TableRemoval? forgotten = _all.Count == Most ? _all.Dequeue() : null;
        _all.Enqueue(removal);
        return forgotten;
    }

    /// <summary>Returns the removals after a number, in order.</summary>
    public IEnumerable<TableRemoval> After(long number) => _all.Where(removal => removal.Number > number);

    public void Clear() => _all.Clear();
}
