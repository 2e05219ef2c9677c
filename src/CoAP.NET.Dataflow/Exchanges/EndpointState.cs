namespace CoAP.NET.Exchanges;

/// <summary>How far an endpoint is with stopping; shared by its shards.</summary>
internal sealed class EndpointState
{
    private int _phase;

    /// <summary>Whether requests are answered 5.03 while it stops; otherwise they are left as if they had never come.</summary>
    public bool AnswersWhileStopping { get; init; } = true;

    /// <summary>Who takes responses to requests for which nothing is kept (RFC 8974 section 3).</summary>
    public StatelessReceivers Stateless { get; } = new();

    /// <summary>Whether new requests are refused with 5.03 while running ones are finished.</summary>
    public bool IsStopping => Volatile.Read(ref _phase) >= 1;

    /// <summary>Whether the grace period is over: what is answered now is dropped and counted.</summary>
    public bool IsStopped => Volatile.Read(ref _phase) >= 2;

    public void BeginStop() => Interlocked.CompareExchange(ref _phase, 1, 0);

    public void EndGrace() => Volatile.Write(ref _phase, 2);
}
