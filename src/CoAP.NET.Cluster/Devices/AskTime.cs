namespace CoAP.NET.Cluster;

/// <summary>
/// The time that a caller gives a request to a device (<see cref="CoapRequest.Timeout"/>). Whoever is asked first keeps to it by itself;
/// those that are asked after that have what is left of it. Not thread-safe.
/// </summary>
/// <param name="timeout">What the caller gives; null and infinite: each one that is asked has its own time.</param>
/// <param name="time">The clock.</param>
/// <param name="cancellationToken">The caller's.</param>
internal sealed class AskTime(TimeSpan? timeout, TimeProvider time, CancellationToken cancellationToken) : IDisposable
{
    private readonly long _began = time.GetTimestamp();
    private CancellationTokenSource? _late;
    private CancellationTokenSource? _either;

    /// <summary>How much has passed.</summary>
    public TimeSpan Elapsed => time.GetElapsedTime(_began);

    /// <summary>Cancelled when the caller cancels, and, once others are asked, when the time has ended.</summary>
    public CancellationToken Token => _either?.Token ?? cancellationToken;

    /// <summary>Whether the time has ended, and the caller has not cancelled.</summary>
    public bool IsOver => _late is { IsCancellationRequested: true } && !cancellationToken.IsCancellationRequested;

    /// <summary>Another one is asked.</summary>
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
