namespace CoAP.NET.Signalling;

/// <summary>
/// A deadline that is put off only by as many bytes as move in its time at 256 bytes a second: whoever gives or takes a byte now and then
/// holds nothing for it. Times in units of 100 ns.
/// </summary>
internal struct RateWatch
{
    private const int BytesPerSecond = 256;

    private bool _isRunning;
    private long _since;
    private long _from;
    private long _enough;

    /// <summary>There is nothing to wait for.</summary>
    public void Stop() => _isRunning = false;

    /// <summary>Looks.</summary>
    /// <param name="count">How many bytes moved so far.</param>
    /// <param name="outstanding">How many are to move: when all of them have, that is enough.</param>
    /// <param name="window">In what time enough of them must.</param>
    /// <param name="now">Now.</param>
    /// <returns>When enough must have moved.</returns>
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
