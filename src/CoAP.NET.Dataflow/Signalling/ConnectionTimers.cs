namespace CoAP.NET.Signalling;

/// <summary>
/// When a connection is looked at next: one timer for each, at the next time that is known, and now and then to see whether it moves.
/// Messages never touch it. Under the shard's lock.
/// </summary>
internal sealed class ConnectionTimers(CoapShard shard, CoapStreamOptions options)
{
    private static readonly TimeSpan s_shortestPeriod = TimeSpan.FromMilliseconds(50);

    private readonly long _period = PeriodOf(options);

    /// <summary>When the connection is looked at next.</summary>
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
                    : After(HeardOf(state), options.KeepAliveInterval));
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

    /// <summary>When the peer was last heard.</summary>
    public static long HeardOf(StreamState state) => Math.Max(state.LastHeard, state.Channel.LastSeen);

    /// <summary>When the connection was last used for anything but Ping and Pong.</summary>
    public static long UsedOf(StreamState state) => Math.Max(state.LastUsed, state.Channel.LastSeen);

    /// <summary>A time later; never, for an infinite time.</summary>
    public static long After(long since, TimeSpan time) => time == Timeout.InfiniteTimeSpan ? long.MaxValue : since + time.Ticks;

    // A quarter of the shortest time that cannot be told in advance; so much later than it may a connection be ended.
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
