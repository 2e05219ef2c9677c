namespace CoAP.NET.Errors;

/// <summary>
/// The time limit of a request: the rest, and the whole for messages. In its default value, the transmission parameters determine the
/// limit.
/// </summary>
internal readonly struct ClientRequestTimeLimit
{
    // A whole of 0 means none: callers cannot set it.
    private readonly long _whole;
    private readonly long _left;

    /// <summary>Creates the limit of a request that begins.</summary>
    /// <param name="whole">The whole time; null when the transmission parameters decide.</param>
    public ClientRequestTimeLimit(TimeSpan? whole)
        : this(whole, whole)
    {
    }

    /// <summary>Creates the limit of a request that began some time ago.</summary>
    /// <param name="left">What is left; not below zero unless infinite.</param>
    /// <param name="whole">The whole time; null when the transmission parameters decide.</param>
    public ClientRequestTimeLimit(TimeSpan? left, TimeSpan? whole) => (_left, _whole) = (left?.Ticks ?? 0, whole?.Ticks ?? 0);

    /// <summary>Creates the limit of a request from the timeout of a caller.</summary>
    /// <param name="timeout">The whole time; null for that of the transmission parameters.</param>
    /// <exception cref="ArgumentOutOfRangeException">The value is neither above zero nor infinite.</exception>
    public static ClientRequestTimeLimit Of(TimeSpan? timeout)
    {
        if (timeout is { } limit && limit != Timeout.InfiniteTimeSpan)
        {
            ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(limit, TimeSpan.Zero, nameof(timeout));
        }

        return new ClientRequestTimeLimit(timeout);
    }

    /// <summary>Whether there is a limit other than that of the transmission parameters.</summary>
    public bool IsSet => _whole != 0;

    /// <summary>The rest; <see cref="Timeout.InfiniteTimeSpan"/> for no limit, null if the transmission parameters determine it.</summary>
    public TimeSpan? Left => IsSet ? TimeSpan.FromTicks(_left) : null;

    /// <summary>The whole time; valid only if <see cref="IsSet"/>.</summary>
    public TimeSpan Whole => TimeSpan.FromTicks(_whole);

    /// <summary>Returns the rest after some time.</summary>
    /// <param name="started">The time to which the current rest refers, in units of 100 ns.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    public ClientRequestTimeLimit Since(long started, long now) =>
        IsFinite ? new ClientRequestTimeLimit(TimeSpan.FromTicks(Math.Max(0, _left - (now - started))), Whole) : this;

    public bool IsFinite => IsSet && _whole != Timeout.InfiniteTimeSpan.Ticks;
}
