namespace CoAP.NET.Signalling;

/// <summary>
/// A deadline that is extended only if enough bytes move in its time, at 256 bytes per second. A peer that moves single bytes gains
/// nothing. Times in units of 100 ns.
/// </summary>
internal struct MinDataRateDeadline
{
    private const int BytesPerSecond = 256;

    private bool _isRunning;
    private long _since;
    private long _from;
    private long _enough;

    /// <summary>Stops: nothing is awaited.</summary>
    public void Stop() => _isRunning = false;

    /// <summary>Checks the progress.</summary>
    /// <param name="count">The number of bytes moved so far.</param>
    /// <param name="outstanding">The number of remaining bytes: moving all of them is enough.</param>
    /// <param name="window">The time in which enough of them must move.</param>
    /// <param name="now">The current time.</param>
    /// <returns>The deadline.</returns>
    public long Look(long count, long outstanding, TimeSpan window, long now)
    {
        if (window == Timeout.InfiniteTimeSpan)
        {
            return long.MaxValue;
        }

        if (!_isRunning || count - _from >= _enough)
        {
            (_isRunning, _since, _from) = (true, now, count);
            _enough = Math.Min(outstanding, Math.Max(1, (long)(window.TotalSeconds * BytesPerSecond)));
        }

        return _since + window.Ticks;
    }
}
