namespace CoAP.NET.Signalling;

/// <summary>
/// Schedules the next check of a connection: one timer for each, at the next known time, and periodically for its progress. Messages never
/// touch it. Under the shard's lock.
/// </summary>
internal sealed class ConnectionTimers(CoapShard shard, CoapStreamOptions options)
{
    private static readonly TimeSpan s_shortestPeriod = TimeSpan.FromMilliseconds(50);

    private readonly long _period = PeriodOf(options);

    /// <summary>Schedules the next check.</summary>
    public void Arm(StreamState state, long now)
    {
        long due = state.EndsAt;
        if (!state.IsOver)
        {
            due = Math.Min(due, _period == long.MaxValue ? long.MaxValue : now + _period);
            due = Math.Min(due, Math.Min(state.Progress.FrameDue, state.Progress.SendDue));
            if (!state.IsReady)
            {
                due = Math.Min(due, After(state.OpenedAt, options.CsmTimeout));
            }
            else if (!state.IsReleasing)
            {
                due = Math.Min(due, state.PingSentAt is { } sentAt
                    ? After(sentAt, options.PongTimeout)
                    : After(state.Heard, options.KeepAliveInterval));
                due = Math.Min(due, After(UsedOf(state), options.IdleTimeout));
            }
        }

        if (due == long.MaxValue)
        {
            shard.Wheel.Cancel(state);
        }
        else
        {
            shard.Wheel.Schedule(state, due);
        }
    }

    /// <summary>Returns the time of the last use, except for Ping and Pong.</summary>
    public static long UsedOf(StreamState state) => Math.Max(state.LastUsed, state.Channel.LastSeen);

    /// <summary>Adds a time; never for an infinite one.</summary>
    public static long After(long since, TimeSpan time) => time == Timeout.InfiniteTimeSpan ? long.MaxValue : since + time.Ticks;

    // A quarter of the shortest timeout without a known time. A connection may end so much later than allowed.
    private static long PeriodOf(CoapStreamOptions options)
    {
        long shortest = long.MaxValue;
        foreach (TimeSpan time in (ReadOnlySpan<TimeSpan>)
            [options.FrameTimeout, options.SendTimeout, options.KeepAliveInterval, options.IdleTimeout])
        {
            shortest = time == Timeout.InfiniteTimeSpan ? shortest : Math.Min(shortest, time.Ticks);
        }

        return shortest == long.MaxValue ? shortest : Math.Max(shortest / 4, s_shortestPeriod.Ticks);
    }
}
