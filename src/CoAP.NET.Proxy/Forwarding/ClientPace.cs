namespace CoAP.NET.Proxy.Forwarding;

/// <summary>
/// How long a client that sends a body kept others waiting: the time that it was waited for, less a second for each 256 bytes. Thread-safe.
/// </summary>
/// <param name="clock">The clock.</param>
internal sealed class ClientPace(TimeProvider clock)
{
    private const double BytesOfSecond = 256;

    private readonly Lock _gate = new();
    private TimeSpan _debt;
    private long _waitsSince;
    private bool _isWaiting;

    /// <summary>Whether the client is waited for.</summary>
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

    /// <summary>How long.</summary>
    public TimeSpan Debt
    {
        get
        {
            lock (_gate)
            {
                return _debt + (_isWaiting ? clock.GetElapsedTime(_waitsSince) : TimeSpan.Zero);
            }
        }
    }

    /// <summary>It is waited for.</summary>
    public void BeginWaiting()
    {
        lock (_gate)
        {
            _waitsSince = clock.GetTimestamp();
            _isWaiting = true;
        }
    }

    /// <summary>It sent something.</summary>
    /// <param name="bytes">How much.</param>
    /// <param name="isAll">Whether that was the end.</param>
    public void EndWaiting(int bytes, bool isAll)
    {
        lock (_gate)
        {
            TimeSpan debt = _debt + clock.GetElapsedTime(_waitsSince) - TimeSpan.FromSeconds(bytes / BytesOfSecond);
            _debt = !isAll && debt > TimeSpan.Zero ? debt : TimeSpan.Zero;
            _isWaiting = false;
        }
    }
}
