namespace CoAP.NET.Proxy.Forwarding;

/// <summary>
/// Measures how long a client that sends a body delays others: the time spent waiting for it, minus one second per 256 bytes. Thread-safe.
/// </summary>
/// <param name="clock">The clock.</param>
internal sealed class SlowClientUploadMeter(TimeProvider clock)
{
    private const double BytesOfSecond = 256;

    private readonly Lock _gate = new();
    private TimeSpan _delay;
    private long _waitsSince;
    private bool _isWaiting;

    /// <summary>Whether the proxy waits for the client.</summary>
    public bool IsWaiting
    {
        get
        {
            lock (_gate)
            {
                return _isWaiting;
            }
        }
    }

    /// <summary>The accumulated delay.</summary>
    public TimeSpan Delay
    {
        get
        {
            lock (_gate)
            {
                return _delay + (_isWaiting ? clock.GetElapsedTime(_waitsSince) : TimeSpan.Zero);
            }
        }
    }

    /// <summary>Starts the time of waiting for the client.</summary>
    public void BeginWaiting()
    {
        lock (_gate)
        {
            _waitsSince = clock.GetTimestamp();
            _isWaiting = true;
        }
    }

    /// <summary>Ends the time of waiting: the client sent something.</summary>
    /// <param name="bytes">The number of bytes.</param>
    /// <param name="isAll">Whether the body is complete.</param>
    public void EndWaiting(int bytes, bool isAll)
    {
        lock (_gate)
        {
            TimeSpan delay = _delay + clock.GetElapsedTime(_waitsSince) - TimeSpan.FromSeconds(bytes / BytesOfSecond);
            _delay = !isAll && delay > TimeSpan.Zero ? delay : TimeSpan.Zero;
            _isWaiting = false;
        }
    }
}
