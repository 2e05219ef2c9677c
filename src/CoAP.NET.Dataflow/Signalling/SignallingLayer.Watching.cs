using CoAP.NET.Channels;
using CoAP.NET.Transports;

namespace CoAP.NET.Signalling;

// One timer for each connection: at the next time that is known, and now and then to see whether the connection moves. Messages never touch it.
internal sealed partial class SignallingLayer
{
    private static readonly TimeSpan s_shortestPeriod = TimeSpan.FromMilliseconds(50);

    /// <summary>The time has come that a connection waited for.</summary>
    /// <param name="state">The connection.</param>
    /// <param name="progress">How far it has come, read without the lock.</param>
    /// <param name="isHeld">Whether it takes nothing more now.</param>
    /// <param name="now">Now, in units of 100 ns.</param>
    public void Judge(StreamState state, in CoapConnectionProgress progress, bool isHeld, long now)
    {
        if (state.IsOver)
        {
            if (now >= state.EndsAt)
            {
                // Whatever kept the last message from leaving, the connection ends now.
                CloseAtOnce(state, state.Reason!);
            }
            else
            {
                Arm(state, now);
            }

            return;
        }

        state.Progress.Look(progress, isHeld, _options, now);
        if (isHeld || progress is { PartialLength: > 0 } or { BytesWaiting: > 0 })
        {
            // Whom we do not read we do not blame for his silence; nor who is in the middle of a frame, or did not get our Ping yet: those have times of their own.
            state.LastHeard = now;
        }

        if (!state.IsReady && now >= After(state.OpenedAt, _options.CsmTimeout))
        {
            _counters.Add(CoapCounter.SlowConnections);
            Abort(
                state,
                "No CSM came in time (RFC 8323 section 3.3).",
                now,
                CoapConnectionError.TooSlow,
                advice: state.Channel.Connection!.IsInitiator
                    ? " Does the peer speak CoAP at this port, and with TLS or without as the scheme says?"
                    : "");
        }
        else if (now >= state.EndsAt)
        {
            CloseInOrder(state, now);
        }
        else if (now >= state.Progress.FrameDue)
        {
            _counters.Add(CoapCounter.SlowConnections);
            Abort(state, "A frame took too long.", now, CoapConnectionError.TooSlow);
        }
        else if (now >= state.Progress.SendDue)
        {
            _counters.Add(CoapCounter.SlowConnections);
            CloseAtOnce(state, new CoapConnectionException(CoapConnectionError.TooSlow, $"{state.Channel} took too little of what waits for it, for {_options.SendTimeout.TotalSeconds:0.#} s (SendTimeout)."));
        }
        else if (state.IsReady && !state.IsReleasing && !KeepAlive(state, progress, now))
        {
            return;
        }

        if (!state.IsOver)
        {
            Arm(state, now);
        }
    }

    /// <returns>Whether the connection goes on.</returns>
    private bool KeepAlive(StreamState state, in CoapConnectionProgress progress, long now)
    {
        CoapChannel channel = state.Channel;
        long heard = HeardOf(state);
        if (state.PingSentAt <= heard)
        {
            state.PingSentAt = null;
        }

        if (state.PingSentAt is { } sentAt)
        {
            if (now >= After(sentAt, _options.PongTimeout))
            {
                CloseAtOnce(state, new CoapConnectionException(
                    CoapConnectionError.Lost, $"{channel} was silent for {TimeSpan.FromTicks(now - heard).TotalSeconds:0.#} s and did not answer a Ping (RFC 8323 section 5.4)."));
                return false;
            }
        }
        else if (now >= After(heard, _options.KeepAliveInterval))
        {
            state.PingSentAt = now;
            Post(state, new CoapMessage(CoapCode.Ping));
        }

        if (channel.Pins > 0 || channel.Requests!.Count > 0 || state.Waiting.Count > 0 || progress is { PartialLength: > 0 } or { BytesWaiting: > 0 })
        {
            state.LastUsed = now;
        }
        else if (now >= After(UsedOf(state), _options.IdleTimeout))
        {
            Release(channel, null, [], $"The connection to {channel} was idle.", now);
            return false;
        }

        return true;
    }

    /// <summary>When the connection is looked at next.</summary>
    private void Arm(StreamState state, long now)
    {
        long due = state.EndsAt;
        if (!state.IsOver)
        {
            due = Math.Min(due, _period == long.MaxValue ? long.MaxValue : now + _period);
            due = Math.Min(due, Math.Min(state.Progress.FrameDue, state.Progress.SendDue));
            if (!state.IsReady)
            {
                due = Math.Min(due, After(state.OpenedAt, _options.CsmTimeout));
            }
            else if (!state.IsReleasing)
            {
                due = Math.Min(due, state.PingSentAt is { } sentAt ? After(sentAt, _options.PongTimeout) : After(HeardOf(state), _options.KeepAliveInterval));
                due = Math.Min(due, After(UsedOf(state), _options.IdleTimeout));
            }
        }

        if (due == long.MaxValue)
        {
            _shard.Wheel.Cancel(state);
        }
        else
        {
            _shard.Wheel.Schedule(state, due);
        }
    }

    private static long HeardOf(StreamState state) => Math.Max(state.LastHeard, state.Channel.LastSeen);

    private static long UsedOf(StreamState state) => Math.Max(state.LastUsed, state.Channel.LastSeen);

    private static long After(long since, TimeSpan time) => time == Timeout.InfiniteTimeSpan ? long.MaxValue : since + time.Ticks;

    // A quarter of the shortest time that cannot be told in advance; so much later than it may a connection be ended.
    private static long PeriodOf(CoapStreamOptions options)
    {
        long shortest = long.MaxValue;
        foreach (TimeSpan time in (ReadOnlySpan<TimeSpan>)[options.FrameTimeout, options.SendTimeout, options.KeepAliveInterval, options.IdleTimeout])
        {
            shortest = time == Timeout.InfiniteTimeSpan ? shortest : Math.Min(shortest, time.Ticks);
        }

        return shortest == long.MaxValue ? shortest : Math.Max(shortest / 4, s_shortestPeriod.Ticks);
    }
}
