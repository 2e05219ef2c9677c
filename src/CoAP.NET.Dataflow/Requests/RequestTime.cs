namespace CoAP.NET;

/// <summary>How long a request may take: what is left of it, and the whole for messages to people. Its default says that the transmission
/// parameters decide.</summary>
internal readonly struct RequestTime
{
    // A whole of 0 is none: it is refused of callers.
    private readonly long _whole;
    private readonly long _left;

    /// <summary>Of a request that begins.</summary>
    /// <param name="whole">The whole time; null when the transmission parameters decide.</param>
    public RequestTime(TimeSpan? whole)
        : this(whole, whole)
    {
    }

    /// <summary>Of a request that began some time ago.</summary>
    /// <param name="left">What is left; not below zero unless infinite.</param>
    /// <param name="whole">The whole time; null when the transmission parameters decide.</param>
    public RequestTime(TimeSpan? left, TimeSpan? whole) => (_left, _whole) = (left?.Ticks ?? 0, whole?.Ticks ?? 0);

    /// <summary>Of a request whose time a caller gave.</summary>
    /// <param name="timeout">The whole time.</param>
    /// <exception cref="ArgumentOutOfRangeException">Not above zero and not infinite.</exception>
    public static RequestTime Of(TimeSpan timeout)
    {
        if (timeout != Timeout.InfiniteTimeSpan)
        {
            ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(timeout, TimeSpan.Zero);
        }

        return new RequestTime(timeout);
    }

    /// <summary>Whether the transmission parameters do not decide.</summary>
    public bool IsSet => _whole != 0;

    /// <summary>What is left; <see cref="Timeout.InfiniteTimeSpan"/> for no limit, null when the transmission parameters decide.</summary>
    public TimeSpan? Left => IsSet ? TimeSpan.FromTicks(_left) : null;

    /// <summary>The whole time; only where <see cref="IsSet"/>.</summary>
    public TimeSpan Whole => TimeSpan.FromTicks(_whole);

    /// <summary>What is left after some time.</summary>
    /// <param name="started">When this was what was left, in units of 100 ns.</param>
    /// <param name="now">Now, in units of 100 ns.</param>
    public RequestTime Since(long started, long now) =>
        IsFinite ? new RequestTime(TimeSpan.FromTicks(Math.Max(0, _left - (now - started))), Whole) : this;

    /// <summary>Whether there is an end.</summary>
    public bool IsFinite => IsSet && _whole != Timeout.InfiniteTimeSpan.Ticks;
}
