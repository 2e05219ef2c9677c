namespace CoAP.NET.Execution;

/// <summary>The progress of stopping an endpoint; shared by its shards.</summary>
internal sealed class EndpointState
{
    private int _phase;

    /// <summary>Whether to answer requests with 5.03 during the stop, or to ignore them.</summary>
    public bool AnswersWhileStopping { get; init; } = true;

    /// <summary>Whether the endpoint refuses new requests with 5.03 while running ones finish.</summary>
    public bool IsStopping => Volatile.Read(ref _phase) >= 1;

    /// <summary>Whether the grace period is over: the endpoint drops and counts later answers.</summary>
    public bool IsStopped => Volatile.Read(ref _phase) >= 2;

    public void BeginStop() => Interlocked.CompareExchange(ref _phase, 1, 0);

    public void EndGrace() => Volatile.Write(ref _phase, 2);
}
