namespace CoAP.NET.Cluster;

/// <summary>Counts events of the links of a node. Thread-safe.</summary>
internal sealed class LinkCounts
{
    private int _links;
    private long _opened;
    private long _failed;
    private long _lost;
    private long _strangers;
    private long _itemsSent;
    private long _itemsReceived;
    private long _itemsDropped;
    private long _batchesSent;

    public void OnUp()
    {
        Interlocked.Increment(ref _links);
        Interlocked.Increment(ref _opened);
    }

    public void OnDown(bool isLost)
    {
        Interlocked.Decrement(ref _links);
        if (isLost)
        {
            Interlocked.Increment(ref _lost);
        }
    }

    public void OnFailed() => Interlocked.Increment(ref _failed);

    public void OnStranger() => Interlocked.Increment(ref _strangers);

    public void OnSent(int items)
    {
        Interlocked.Add(ref _itemsSent, items);
        Interlocked.Increment(ref _batchesSent);
    }

    public void OnReceived(int items) => Interlocked.Add(ref _itemsReceived, items);

    public void OnDropped(int items) => Interlocked.Add(ref _itemsDropped, items);

    public ClusterLinkCounters Read() => new(
        Volatile.Read(ref _links), Interlocked.Read(ref _opened), Interlocked.Read(ref _failed), Interlocked.Read(ref _lost),
        Interlocked.Read(ref _strangers), Interlocked.Read(ref _itemsSent), Interlocked.Read(ref _itemsReceived),
        Interlocked.Read(ref _itemsDropped), Interlocked.Read(ref _batchesSent));
}
