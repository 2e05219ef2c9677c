namespace CoAP.NET.Signalling;

/// <summary>Ends connections without progress: no CSM in time, a slow frame or peer, no Pong, or a long idle time.</summary>
internal sealed class ConnectionMonitor(CoapShard shard, CoapStreamOptions options, ConnectionTimers timers, ConnectionTerminator ending)
{
    /// <summary>Checks a connection.</summary>
    /// <param name="state">The connection.</param>
    /// <param name="progress">Its progress, read without the lock.</param>
    /// <param name="isHeld">Whether reading is paused now.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    public void Judge(StreamState state, in CoapConnectionTransferProgress progress, bool isHeld, long now)
    {
        if (state.IsOver)
        {
            if (now >= state.EndsAt)
            {
                // The connection ends now, whatever delayed the last message.
                ending.CloseAtOnce(state, state.Reason!);
            }
            else
            {
                timers.Arm(state, now);
            }

            return;
        }

        state.Progress.Look(progress, isHeld, options, now);
        if (isHeld || progress is { PartialLength: > 0 } or { BytesWaiting: > 0 })
        {
            // Silence does not count while reading is paused, while the peer sends a frame, or before it got the Ping: those have timeouts
            // of their own.
            state.LastHeard = now;
        }

        if (!state.IsReady && now >= ConnectionTimers.After(state.OpenedAt, options.CsmTimeout))
        {
            shard.Environment.Counters.Add(CoapCounter.SlowConnections);
            ending.Abort(
                state,
                "No CSM came in time (RFC 8323 section 3.3).",
                now,
                CoapError.TooSlow,
                advice: state.Channel.Connection!.IsInitiator
                    ? " Does the peer speak CoAP at this port, and with TLS or without as the scheme says?"
                    : "");
        }
        else if (now >= state.EndsAt)
        {
            ending.CloseInOrder(state, now);
        }
        else if (now >= state.Progress.FrameDue)
        {
            shard.Environment.Counters.Add(CoapCounter.SlowConnections);
            ending.Abort(state, "A frame took too long.", now, CoapError.TooSlow);
        }
        else if (now >= state.Progress.SendDue)
        {
            shard.Environment.Counters.Add(CoapCounter.SlowConnections);
            ending.CloseAtOnce(state, new CoapConnectionException(
                CoapError.TooSlow,
                $"{state.Channel} accepted too few of the waiting bytes for {options.SendTimeout.TotalSeconds:0.#} s (SendTimeout)."));
        }
        else if (state.IsReady && !state.IsReleasing && !KeepAlive(state, progress, now))
        {
            return;
        }

        if (!state.IsOver)
        {
            timers.Arm(state, now);
        }
    }

    public void JudgeSession(ConnectionSignallingState state, long now)
    {
        if (!state.IsOver)
        {
            ending.CloseSessionIfDue(state, now, atOnce: false);
        }
    }

    /// <returns>Whether the connection continues.</returns>
    private bool KeepAlive(StreamState state, in CoapConnectionTransferProgress progress, long now)
    {
        CoapChannel channel = state.Channel;
        long heard = state.Heard;
        if (state.PingSentAt <= heard)
        {
            state.PingSentAt = null;
        }

        if (state.PingSentAt is { } sentAt)
        {
            if (now >= ConnectionTimers.After(sentAt, options.PongTimeout))
            {
                ending.CloseAtOnce(state, new CoapConnectionException(
                    CoapError.Lost,
                    $"{channel} was silent for {TimeSpan.FromTicks(now - heard).TotalSeconds:0.#} s and did not answer a Ping (RFC 8323 "
                        + "section 5.4)."));
                return false;
            }
        }
        else if (now >= ConnectionTimers.After(heard, options.KeepAliveInterval))
        {
            state.PingSentAt = now;
            state.Post(new CoapMessage(CoapCode.Ping));
        }

        if (channel.Pins > 0
            || channel.Connection!.Requests!.Count > 0
            || state.Waiting.Count > 0
            || progress is { PartialLength: > 0 } or { BytesWaiting: > 0 })
        {
            state.LastUsed = now;
        }
        else if (now >= ConnectionTimers.After(ConnectionTimers.UsedOf(state), options.IdleTimeout))
        {
            ending.Release(channel, null, [], $"The connection to {channel} was idle.", now, atOnce: false);
            return false;
        }

        return true;
    }
}
