using System.Text;

namespace CoAP.NET.Signalling;

/// <summary>Ends connections (RFC 8323 sections 5.5 and 5.6) and sessions over datagrams. Under the shard's lock.</summary>
/// <param name="shard">The shard.</param>
/// <param name="options">The timeouts.</param>
/// <param name="timers">Schedules the checks of connections.</param>
/// <param name="messages">The pending messages of sessions; null for none.</param>
internal sealed class ConnectionTerminator(
    CoapShard shard, CoapStreamOptions options, ConnectionTimers timers, IPeerEvictionGuard? messages)
{
    // The check period while something is pending in a session that ends.
    private static readonly TimeSpan s_sessionPeriod = TimeSpan.FromMilliseconds(100);

    private readonly CoapCounters _counters = shard.Environment.Counters;

    /// <summary>
    /// Requests an orderly end from the peer: pending exchanges finish, then one of the two closes. Further calls do nothing.
    /// </summary>
    /// <param name="channel">The channel of the connection.</param>
    /// <param name="holdOff">How long the peer must not reconnect; null for unspecified.</param>
    /// <param name="alternativeAddresses">The addresses to connect to instead.</param>
    /// <param name="text">The reason as a sentence.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    /// <param name="atOnce">Whether to close right after, without waiting.</param>
    public void Release(
        CoapChannel channel, HoldOffOption? holdOff, IReadOnlyList<AlternativeAddressOption> alternativeAddresses, string text,
            long now, bool atOnce)
    {
        if (ConnectionSignallingState.Of(channel) is not { IsOver: false } of || (of.IsReleasing && !atOnce))
        {
            return;
        }

        if (of is not StreamState state)
        {
            ReleaseSession(of, text, now, atOnce);
            return;
        }

        if (state.IsReleasing)
        {
            CloseInOrder(state, now);
            return;
        }

        CoapMessage release = new(CoapCode.Release);
        foreach (AlternativeAddressOption address in alternativeAddresses)
        {
            release.Options.Add(address);
        }

        if (holdOff is not null)
        {
            release.Options.Add(holdOff);
        }

        BeginEnd(state, new CoapConnectionException(CoapError.ClosedLocally, text), now);
        if (atOnce)
        {
            End(state, state.Reason!);
            state.EndsAt = ConnectionTimers.After(now, options.ReleaseTimeout);
        }

        state.Post(release, isLast: atOnce);
        timers.Arm(state, now);
    }

    /// <summary>
    /// Requests the end of a connection because the endpoint stops. A session stays open until <see cref="Release"/> closes it at once.
    /// </summary>
    /// <param name="channel">The channel of the connection.</param>
    /// <param name="text">The reason as a sentence.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    /// <returns>A task that completes when the connection has ended, or when nothing is pending in the session.</returns>
    public Task ReleaseToStop(CoapChannel channel, string text, long now)
    {
        if (ConnectionSignallingState.Of(channel) is StreamState)
        {
            Release(channel, null, [], text, now, atOnce: false);
        }
        else if (ConnectionSignallingState.Of(channel) is { IsOver: false } state)
        {
            state.Quiet ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            ReleaseSession(state, text, now, atOnce: false);
            return state.Quiet.Task;
        }

        return SignallingLayer.WhenEnded(channel);
    }

    /// <summary>Handles a half-closed connection: its requests are answered, then it is closed.</summary>
    public void OnReceiveEnded(CoapChannel channel, long now)
    {
        if (ConnectionSignallingState.Of(channel) is not StreamState { IsOver: false } state)
        {
            return;
        }

        state.IsHalfClosed = true;
        state.ClosesWhenQuiet = true;
        BeginEnd(state, new CoapConnectionException(CoapError.Closed, $"{channel} closed the connection."), now);
        CloseIfQuiet(state, now);
        timers.Arm(state, now);
    }

    // RFC 8323 section 5.5: pending exchanges finish, and no new ones start.
    public void OnRelease(StreamState state, CoapMessage release, long now)
    {
        if (release.OptionsToRead is { } options)
        {
            if (options.TryGetUInt(HoldOffOption.Definition.Number, out uint seconds))
            {
                state.HoldOff = TimeSpan.FromSeconds(seconds);
            }

            state.AlternativeAddresses = [.. options.GetValues(AlternativeAddressOption.Definition.Number)
                .Select(static address => Encoding.UTF8.GetString(address.Span))];
        }

        CoapChannel channel = state.Channel;
        shard.AfterRelease(new ReleaseLog(state));
        state.ClosesWhenQuiet = true;
        string why = $"{channel} released the connection with Release (RFC 8323 section 5.5).";
        BeginEnd(state, new CoapConnectionException(CoapError.Released, why), now);
        CloseIfQuiet(state, now);
        timers.Arm(state, now);
    }

    private void BeginEnd(StreamState state, CoapConnectionException reason, long now)
    {
        if (state.IsReleasing)
        {
            return;
        }

        state.Reason ??= reason;
        state.IsReleasing = true;
        state.EndsAt = ConnectionTimers.After(now, options.ReleaseTimeout);
        state.Channel.Connection!.Requests!.IsAwaited = true;
    }

    /// <summary>Closes a connection whose peer released it, when nothing is pending.</summary>
    public void CloseIfQuiet(StreamState state, long now)
    {
        if (state is { ClosesWhenQuiet: true, IsOver: false }
            && state.Channel.Connection!.Requests!.Count == 0
            && (state.IsHalfClosed || !HasRequests(state.Channel)))
        {
            CloseInOrder(state, now);
        }
    }

    /// <summary>Closes after the send backlog.</summary>
    // Uses a last frame, which follows all others in the queue of the transport. An Empty message has no meaning (RFC 8323 section 3.4), so
    // it can always be that frame, even as the answer to a Release: peers ignore it, and no transport needs a second way to end.
    public void CloseInOrder(StreamState state, long now)
    {
        // The answer that a Pong waited for may have left before its thread came here.
        ConnectionPings.AnswerCustody(state);
        End(state, state.Reason!);
        state.Post(new CoapMessage(CoapCode.Empty), isLast: true);
        state.EndsAt = ConnectionTimers.After(now, options.ReleaseTimeout);
        timers.Arm(state, now);
    }

    public void OnAbort(StreamState state, CoapMessage abort)
    {
        _counters.Add(CoapCounter.AbortsReceived);
        string? said = abort.Payload.IsEmpty ? null : CoapUntrustedText.LineOf(abort.Payload.Span);
        string what = abort.OptionsToRead is { } options && options.TryGetUInt(BadCsmOption.Definition.Number, out uint number)
            ? $"{state.Channel} aborted the connection because it cannot process option {number} of our CSM"
            : $"{state.Channel} aborted the connection";

        // This reason replaces all earlier ones.
        string why = said is null ? $"{what}." : $"{what}: {said}";
        state.Reason = new CoapConnectionException(CoapError.Aborted, why) { Diagnostic = said };
        CloseAtOnce(state, state.Reason);
    }

    /// <summary>RFC 8323 section 5.6: sends the reason, and closes.</summary>
    public void Abort(
        StreamState state,
        string text,
        long now,
        CoapError error = CoapError.Aborted,
        int? badCsmOption = null,
        string advice = "")
    {
        _counters.Add(CoapCounter.ConnectionsAborted);
        CoapMessage abort = new(CoapCode.Abort) { Payload = Encoding.UTF8.GetBytes(text) };
        if (badCsmOption is { } number)
        {
            abort.Options.Add(new BadCsmOption((uint)number));
        }

        End(state, new CoapConnectionException(error, $"The connection to {state.Channel} was aborted: {text}{advice}"));
        state.Post(abort, isLast: true);
        shard.AfterRelease(new AbortLog(state.Channel, text));
        state.EndsAt = ConnectionTimers.After(now, options.ReleaseTimeout);
        timers.Arm(state, now);
    }

    /// <summary>Closes silently, because the peer cannot receive it, or nothing is left to send.</summary>
    public void CloseAtOnce(ConnectionSignallingState state, CoapConnectionException reason)
    {
        End(state, reason);
        shard.AfterRelease(new DeferredClose(state));
    }

    /// <summary>Stops sending and receiving.</summary>
    public static void End(ConnectionSignallingState of, CoapConnectionException reason)
    {
        of.Reason ??= reason;
        of.IsOver = true;
        if (of is not StreamState state)
        {
            return;
        }

        state.Ready?.TrySetResult();
        state.Pings = null;
        state.Custody = null;
        while (state.Waiting.First is { } waiting)
        {
            state.Waiting.RemoveFirst();
            waiting.Value.IsQueued = false;
            waiting.Value.IsOver = true;
        }
    }

    // DTLS has no message that asks a peer to finish. Pending exchanges finish, then the session is closed.
    private void ReleaseSession(ConnectionSignallingState state, string text, long now, bool atOnce)
    {
        if (!state.IsReleasing)
        {
            state.Reason ??= new CoapConnectionException(CoapError.ClosedLocally, text);
            state.IsReleasing = true;
            state.EndsAt = ConnectionTimers.After(now, options.ReleaseTimeout);
        }

        CloseSessionIfDue(state, now, atOnce);
    }

    /// <summary>Closes an ending session when nothing is pending in it, or checks again later.</summary>
    public void CloseSessionIfDue(ConnectionSignallingState state, long now, bool atOnce)
    {
        CoapChannel channel = state.Channel;
        if (atOnce || now >= state.EndsAt || (messages?.IsQuiet(channel) != false && !HasRequests(channel)))
        {
            if (atOnce || state.Quiet is null)
            {
                CloseAtOnce(state, state.Reason!);
            }

            state.Quiet?.TrySetResult();
        }
        else
        {
            shard.Wheel.Schedule(state, Math.Min(state.EndsAt, ConnectionTimers.After(now, s_sessionPeriod)));
        }
    }

    private static bool HasRequests(CoapChannel channel) =>
        channel.FeatureState<IPeerFeatureState>(PeerFeatureKind.Exchanges) is { IsPending: true };

    private sealed class ReleaseLog(StreamState state) : IDeferredWork
    {
        public void OnReleased(CoapShard shard) =>
            SignallingLog.ConnectionReleased(shard.Environment.Logger, state.Channel, state.HoldOff?.TotalSeconds ?? 0);
    }

    private sealed class AbortLog(CoapChannel channel, string text) : IDeferredWork
    {
        public void OnReleased(CoapShard shard) => SignallingLog.ConnectionAborted(shard.Environment.Logger, channel, text);
    }

    private sealed class DeferredClose(ConnectionSignallingState state) : IDeferredWork
    {
        public void OnReleased(CoapShard shard) => state.Channel.Connection!.Close(state.Reason);
    }
}
