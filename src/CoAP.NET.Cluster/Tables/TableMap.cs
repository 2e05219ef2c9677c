namespace CoAP.NET.Cluster;

/// <summary>Wakes callers that wait until another node owns a slot, or this one has loaded it. Thread-safe.</summary>
internal sealed class TableMap
{
    private readonly WakeSignal _moved = new();

    /// <summary>Completes with the next change. Take it before you read the owners.</summary>
    public Task Next => _moved.Next;

    /// <summary>Reports a change.</summary>
    public void OnMoved() => _moved.Wake();
}
