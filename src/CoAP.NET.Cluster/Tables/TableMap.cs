namespace CoAP.NET.Cluster;

/// <summary>Wakes who waits until another node has a slot, or this one has read it. Thread-safe.</summary>
internal sealed class TableMap
{
    private readonly WakeSignal _moved = new();

    /// <summary>Ends when something has moved. Taken before it is looked who has what.</summary>
    public Task Next => _moved.Next;

    /// <summary>Something has moved.</summary>
    public void OnMoved() => _moved.Wake();
}
