namespace CoAP.NET.Cluster;

/// <summary>
/// The time limit of a request to a device (<see cref="CoapRequest.Timeout"/>). The first node enforces it on its own; later ones get the
/// rest of it. Not thread-safe.
/// </summary>
/// <param name="timeout">The caller's limit; null and infinite: each node has its own time.</param>
/// <param name="time">The clock.</param>
/// <param name="cancellationToken">The caller's.</param>
internal sealed class AskTime(TimeSpan? timeout, TimeProvider time, CancellationToken cancellationToken) : IDisposable
{
    private readonly long _began = time.GetTimestamp();
    private CancellationTokenSource? _late;
    private CancellationTokenSource? _either;

    /// <summary>The elapsed time.</summary>
    public TimeSpan Elapsed => time.GetElapsedTime(_began);

    /// <summary>Canceled when the caller cancels or, from the second node on, when the time is over.</summary>
    public CancellationToken Token => _either?.Token ?? cancellationToken;

    /// <summary>Whether the time is over and the caller has not canceled.</summary>
    public bool IsOver => _late is { IsCancellationRequested: true } && !cancellationToken.IsCancellationRequested;

    /// <summary>Continues with another node.</summary>
    public void GoOn()
    {
        if (_late is null && timeout is { } whole && whole != Timeout.InfiniteTimeSpan)
        {
            TimeSpan left = whole - Elapsed;
            _late = new CancellationTokenSource(left > TimeSpan.Zero ? left : TimeSpan.Zero, time);
            _either = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, _late.Token);
        }
    }

    public void Dispose()
    {
        _either?.Dispose();
        _late?.Dispose();
    }
}
