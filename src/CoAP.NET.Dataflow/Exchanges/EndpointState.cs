namespace CoAP.NET.Exchanges;

/// <summary>How far an endpoint is with stopping; shared by its shards.</summary>
internal sealed class EndpointState : IDisposable
{
    private readonly CancellationTokenSource _abort = new();
    private int _phase;

    /// <summary>Whether new requests are refused with 5.03 while running ones are finished.</summary>
    public bool IsStopping => Volatile.Read(ref _phase) >= 1;

    /// <summary>Whether the grace period is over: what is answered now is dropped and counted.</summary>
    public bool IsStopped => Volatile.Read(ref _phase) >= 2;

    /// <summary>Cancelled when the grace period is over; what handlers get.</summary>
    public CancellationToken Aborted => _abort.Token;

    public void BeginStop() => Interlocked.CompareExchange(ref _phase, 1, 0);

    /// <summary>Ends the grace period. Cancels handlers, outside any lock.</summary>
    public void EndGrace()
    {
        Volatile.Write(ref _phase, 2);
        _abort.Cancel();
    }

    public void Dispose() => _abort.Dispose();
}
