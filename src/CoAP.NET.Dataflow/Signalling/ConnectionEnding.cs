using System.Text;
using CoAP.NET.Exchanges;
using CoAP.NET.Messaging;
using CoAP.NET.Options;

namespace CoAP.NET.Signalling;

/// <summary>How connections (RFC 8323 sections 5.5 and 5.6) and sessions over datagrams end. Under the shard's lock.</summary>
/// <param name="shard">The shard.</param>
/// <param name="options">The times.</param>
/// <param name="timers">When connections are looked at.</param>
/// <param name="messages">What is under way in sessions; null where there are none.</param>
internal sealed class ConnectionEnding(CoapShard shard, CoapStreamOptions options, ConnectionTimers timers, MessageLayer? messages)
{
    // While something is under way in a session that is to end.
    private static readonly TimeSpan s_sessionPeriod = TimeSpan.FromMilliseconds(100);

    private readonly CoapCounters _counters = shard.Environment.Counters;

    /// <summary>
    /// Asks the peer for an orderly end: what is under way is finished, then one of the two closes. Repeating it does nothing.
    /// </summary>
    /// <param name="channel">The channel of the connection.</param>
    /// <param name="holdOff">How long the peer is not to connect again; null for nothing said.</param>
    /// <param name="alternativeAddresses">Where it is to connect instead.</param>
    /// <param name="text">Why, as a sentence.</param>
    /// <param name="now">Now, in units of 100 ns.</param>
    /// <param name="atOnce">Whether the connection is closed right after, without waiting for anything.</param>
    public void Release(
        CoapChannel channel, HoldOff? holdOff, IReadOnlyList<AlternativeAddress> alternativeAddresses, string text, long now, bool atOnce)
    {
        if (channel.SignallingState is not { IsOver: false } of || (of.IsReleasing && !atOnce))
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
        foreach (AlternativeAddress address in alternativeAddresses)
        {
            release.Options.Add(address);
        }

        if (holdOff is not null)
        {
            release.Options.Add(holdOff);
        }

        BeginEnd(state, new CoapConnectionException(CoapConnectionError.ClosedByUs, text), now);
        if (atOnce)
        {
            End(state, state.Reason!);
            state.EndsAt = ConnectionTimers.After(now, options.ReleaseTimeout);
        }

        state.Post(release, isLast: atOnce);
        timers.Arm(state, now);
    }

    /// <summary>The peer will send nothing more: what it asked for is answered, then the connection is closed.</summary>
    public void OnReceiveEnded(CoapChannel channel, long now)
    {
        if (channel.SignallingState is not StreamState { IsOver: false } state)
        {
            return;
        }

        state.IsHalfClosed = true;
        state.ClosesWhenQuiet = true;
        BeginEnd(state, new CoapConnectionException(CoapConnectionError.Closed, $"{channel} closed the connection."), now);
        CloseIfQuiet(state, now);
        timers.Arm(state, now);
    }

    // RFC 8323 section 5.5: what is under way is finished, and nothing new begun.
    /// <summary>The peer asks for the end.</summary>
    public void OnRelease(StreamState state, CoapMessage release, long now)
    {
        if (release.OptionsToRead is { } options)
        {
            if (options.TryGetUInt(HoldOff.Definition.Number, out uint seconds))
            {
                state.HoldOff = TimeSpan.FromSeconds(seconds);
            }

            state.AlternativeAddresses = [.. options.GetAll<AlternativeAddress>().Select(static address => address.Value)];
        }

        CoapChannel channel = state.Channel;
        shard.AfterRelease(new ReleaseLog(state));
        state.ClosesWhenQuiet = true;
        string why = $"{channel} asked for the end of the connection by Release (RFC 8323 section 5.5).";
        BeginEnd(state, new CoapConnectionException(CoapConnectionError.Released, why), now);
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
        state.Channel.Requests!.IsAwaited = true;
    }

    /// <summary>Closes a connection whose peer asked for the end, when nothing is under way.</summary>
    public void CloseIfQuiet(StreamState state, long now)
    {
        if (state is { ClosesWhenQuiet: true, IsOver: false }
            && state.Channel.Requests!.Count == 0
            && (state.IsHalfClosed || ExchangeLayer.PendingOf(state.Channel) == 0))
        {
            CloseInOrder(state, now);
        }
    }

    /// <summary>Closes after what still waits to be sent.</summary>
    // By a last frame, which stands behind all others in the queue of the transport. An Empty message says nothing (RFC 8323 section 3.4),
    // so it can always be that frame, also where it answers a Release: peers ignore it, and no transport, ours or a user's, needs a second
    // way to end.
    public void CloseInOrder(StreamState state, long now)
    {
        // The answer that a Pong waited for may have left without its thread having come here yet.
        ConnectionPings.AnswerCustody(state);
        End(state, state.Reason!);
        state.Post(new CoapMessage(CoapCode.Empty), isLast: true);
        state.EndsAt = ConnectionTimers.After(now, options.ReleaseTimeout);
        timers.Arm(state, now);
    }

    /// <summary>The peer says why it closes.</summary>
    public void OnAbort(StreamState state, CoapMessage abort)
    {
        _counters.Add(CoapCounter.AbortsReceived);
        string? said = abort.Payload.IsEmpty ? null : CoapForeignText.LineOf(abort.Payload.Span);
        string what = abort.OptionsToRead is { } options && options.TryGetUInt(BadCsmOption.Definition.Number, out uint number)
            ? $"{state.Channel} aborted the connection, as it cannot process option {number} of our CSM"
            : $"{state.Channel} aborted the connection";

        // Whatever was going on before, this is how it ends.
        string why = said is null ? $"{what}." : $"{what}: {said}";
        state.Reason = new CoapConnectionException(CoapConnectionError.Aborted, why) { Diagnostic = said };
        CloseAtOnce(state, state.Reason);
    }

    /// <summary>RFC 8323 section 5.6: says why, and closes.</summary>
    public void Abort(
        StreamState state,
        string text,
        long now,
        CoapConnectionError error = CoapConnectionError.Aborted,
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

    /// <summary>Closes without a word, as there is nobody to hear it, or nothing left to say.</summary>
    public void CloseAtOnce(ConnectionState state, CoapConnectionException reason)
    {
        End(state, reason);
        shard.AfterRelease(new Closing(state));
    }

    /// <summary>Nothing is sent or taken any more.</summary>
    public static void End(ConnectionState of, CoapConnectionException reason)
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

    // There is no word that asks a peer to finish, so we do what we can: what is under way ends, then the session is closed.
    private void ReleaseSession(ConnectionState state, string text, long now, bool atOnce)
    {
        if (!state.IsReleasing)
        {
            state.Reason ??= new CoapConnectionException(CoapConnectionError.ClosedByUs, text);
            state.IsReleasing = true;
            state.EndsAt = ConnectionTimers.After(now, options.ReleaseTimeout);
        }

        CloseSessionIfDue(state, now, atOnce);
    }

    /// <summary>Closes a session that is to end when nothing is under way in it, or looks again in a while.</summary>
    public void CloseSessionIfDue(ConnectionState state, long now, bool atOnce)
    {
        CoapChannel channel = state.Channel;
        if (atOnce || now >= state.EndsAt || (messages?.IsQuiet(channel) != false && ExchangeLayer.PendingOf(channel) == 0))
        {
            CloseAtOnce(state, state.Reason!);
        }
        else
        {
            shard.Wheel.Schedule(state, Math.Min(state.EndsAt, ConnectionTimers.After(now, s_sessionPeriod)));
        }
    }

    private sealed class ReleaseLog(StreamState state) : IAfterRelease
    {
        public void OnReleased(CoapShard shard) =>
            Log.ConnectionReleased(shard.Environment.Logger, state.Channel, state.HoldOff?.TotalSeconds ?? 0);
    }

    private sealed class AbortLog(CoapChannel channel, string text) : IAfterRelease
    {
        public void OnReleased(CoapShard shard) => Log.ConnectionAborted(shard.Environment.Logger, channel, text);
    }

    private sealed class Closing(ConnectionState state) : IAfterRelease
    {
        public void OnReleased(CoapShard shard) => state.Channel.Connection!.Close(state.Reason);
    }
}
