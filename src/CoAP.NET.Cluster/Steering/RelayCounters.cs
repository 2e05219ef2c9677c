namespace CoAP.NET.Cluster.Steering;

/// <summary>Counts relayed and held datagrams. Thread-safe.</summary>
internal sealed class RelayCounters
{
    private long _relayed;
    private long _received;
    private long _returned;
    private long _refused;
    private long _stray;
    private long _lost;
    private long _held;
    private long _heldDropped;

    /// <summary>Datagrams sent to the owners of their slots.</summary>
    public long Relayed => Interlocked.Read(ref _relayed);

    public long Received => Interlocked.Read(ref _received);

    /// <summary>Answers of other nodes sent to clients.</summary>
    public long Returned => Interlocked.Read(ref _returned);

    /// <summary>Datagrams not relayed because their source had used up its share.</summary>
    public long Refused => Interlocked.Read(ref _refused);

    /// <summary>Datagrams dropped because their slot had moved again, or no server here accepts them.</summary>
    public long Stray => Interlocked.Read(ref _stray);

    /// <summary>Datagrams that were sent to this node and did not arrive.</summary>
    public long Lost => Interlocked.Read(ref _lost);

    public long DatagramsQueued => Interlocked.Read(ref _held);

    /// <summary>Held datagrams dropped because they were too old or too many.</summary>
    public long QueuedDatagramsDropped => Interlocked.Read(ref _heldDropped);

    public void OnRelayed() => Interlocked.Increment(ref _relayed);

    public void OnReceived() => Interlocked.Increment(ref _received);

    public void OnReturned() => Interlocked.Increment(ref _returned);

    public void OnRefused() => Interlocked.Increment(ref _refused);

    public void OnStray() => Interlocked.Increment(ref _stray);

    public void OnLost(int count) => Interlocked.Add(ref _lost, count);

    public void OnQueued() => Interlocked.Increment(ref _held);

    public void OnHeldDropped(int count) => Interlocked.Add(ref _heldDropped, count);
}
