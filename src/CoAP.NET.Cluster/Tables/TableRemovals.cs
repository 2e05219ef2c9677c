namespace CoAP.NET.Cluster;

/// <summary>The entries of a slot that were removed lately, for nodes that have not heard of it. Bounded; its caller locks.</summary>
internal sealed class TableRemovals
{
    /// <summary>How many are remembered: 256 of a slot.</summary>
    public const int Most = 256;

    private readonly Queue<TableRemoval> _all = new();

    /// <summary>Adds one.</summary>
    /// <returns>The one that is forgotten for it; null when there is room.</returns>
    public TableRemoval? Add(TableRemoval removal)
    {
        TableRemoval? forgotten = _all.Count == Most ? _all.Dequeue() : null;
        _all.Enqueue(removal);
        return forgotten;
    }

    /// <summary>Those after a number, in their order.</summary>
    public IEnumerable<TableRemoval> After(long number) => _all.Where(removal => removal.Number > number);

    public void Clear() => _all.Clear();
}
