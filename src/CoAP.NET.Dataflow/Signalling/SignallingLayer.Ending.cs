using System.Text;
using CoAP.NET.Channels;
using CoAP.NET.Exchanges;
using CoAP.NET.Options;

namespace CoAP.NET.Signalling;

// RFC 8323 sections 5.5 and 5.6: how a connection ends.
internal sealed partial class SignallingLayer
{
    /// <summary>Asks the peer for an orderly end: what is under way is finished, then one of the two closes. Repeating it does nothing.</summary>
    /// <param name="channel">The channel of the connection.</param>
    /// <param name="holdOff">How long the peer is not to connect again; null for nothing said.</param>
    /// <param name="alternativeAddresses">Where it is to connect instead.</param>
    /// <param name="text">Why, as a sentence.</param>
    /// <param name="now">Now, in units of 100 ns.</param>
    /// <param name="atOnce">Whether the connection is closed right after, without waiting for anything.</param>
    public void Release(CoapChannel channel, HoldOff? holdOff, IReadOnlyList<AlternativeAddress> alternativeAddresses, string text, long now, bool atOnce = false)
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
            state.EndsAt = After(now, _options.ReleaseTimeout);
        }

        Post(state, release, isLast: atOnce);
        Arm(state, now);
    }

    /// <summary>Waits until a connection has ended.</summary>
    public static Task WhenEnded(CoapChannel channel) =>
        channel.SignallingState is not { } state || channel.IsForgotten
            ? Task.CompletedTask
            : (state.Ended ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).Task;

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
        Arm(state, now);
    }

    // RFC 8323 section 5.5: what is under way is finished, and nothing new begun.
    private void OnRelease(StreamState state, CoapMessage release, long now)
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
        _shard.AfterRelease(static state => ((StreamState)state!).Layer.LogReleased((StreamState)state), state);
        state.ClosesWhenQuiet = true;
        BeginEnd(state, new CoapConnectionException(CoapConnectionError.Released, $"{channel} asked for the end of the connection by Release (RFC 8323 section 5.5)."), now);
        CloseIfQuiet(state, now);
        Arm(state, now);
    }

    private void LogReleased(StreamState state) => Log.ConnectionReleased(_shard.Environment.Logger, state.Channel, state.HoldOff?.TotalSeconds ?? 0);

    private void BeginEnd(StreamState state, CoapConnectionException reason, long now)
    {
        if (state.IsReleasing)
        {
            return;
        }

        state.Reason ??= reason;
        state.IsReleasing = true;
        state.EndsAt = After(now, _options.ReleaseTimeout);
        state.Channel.Requests!.IsAwaited = true;
    }

    private void CloseIfQuiet(StreamState state, long now)
    {
        if (state is { ClosesWhenQuiet: true, IsOver: false }
            && state.Channel.Requests!.Count == 0
            && (state.IsHalfClosed || ExchangeLayer.PendingOf(state.Channel) == 0))
        {
            CloseInOrder(state, now);
        }
    }

    // After what still waits to be sent. A connection is closed in order by a last frame, which stands behind all others in the queue of the transport. An Empty message says nothing (RFC 8323 section
    // 3.4), so it can always be that frame, also where it answers a Release: peers ignore it, and no transport, ours or a user's, needs a second way to end.
    private void CloseInOrder(StreamState state, long now)
    {
        // The answer that a Pong waited for may have left without its thread having come here yet.
        AnswerCustody(state);
        End(state, state.Reason!);
        Post(state, new CoapMessage(CoapCode.Empty), isLast: true);
        state.EndsAt = After(now, _options.ReleaseTimeout);
        Arm(state, now);
    }

    private void OnAbort(StreamState state, CoapMessage abort)
    {
        _counters.Add(CoapCounter.AbortsReceived);
        string? said = abort.Payload.IsEmpty ? null : ForeignText.LineOf(abort.Payload.Span);
        string what = abort.OptionsToRead is { } options && options.TryGetUInt(BadCsmOption.Definition.Number, out uint number)
            ? $"{state.Channel} aborted the connection, as it cannot process option {number} of our CSM"
            : $"{state.Channel} aborted the connection";

        // Whatever was going on before, this is how it ends.
        state.Reason = new CoapConnectionException(CoapConnectionError.Aborted, said is null ? $"{what}." : $"{what}: {said}") { Diagnostic = said };
        CloseAtOnce(state, state.Reason);
    }

    /// <summary>RFC 8323 section 5.6: says why, and closes.</summary>
    private void Abort(
        StreamState state, string text, long now, CoapConnectionError error = CoapConnectionError.Aborted, int? badCsmOption = null, string advice = "")
    {
        _counters.Add(CoapCounter.ConnectionsAborted);
        CoapMessage abort = new(CoapCode.Abort) { Payload = Encoding.UTF8.GetBytes(text) };
        if (badCsmOption is { } number)
        {
            abort.Options.Add(new BadCsmOption((uint)number));
        }

        End(state, new CoapConnectionException(error, $"The connection to {state.Channel} was aborted: {text}{advice}"));
        Post(state, abort, isLast: true);
        _shard.AfterRelease(
            static state =>
            {
                (SignallingLayer layer, CoapChannel channel, string text) = ((SignallingLayer, CoapChannel, string))state!;
                Log.ConnectionAborted(layer._shard.Environment.Logger, channel, text);
            },
            (this, state.Channel, text));
        state.EndsAt = After(now, _options.ReleaseTimeout);
        Arm(state, now);
    }

    /// <summary>Closes without a word, as there is nobody to hear it, or nothing left to say.</summary>
    private void CloseAtOnce(ConnectionState state, CoapConnectionException reason)
    {
        End(state, reason);
        _shard.AfterRelease(static over => ((ConnectionState)over!).Channel.Connection!.Close(((ConnectionState)over).Reason), state);
    }

    private static void End(ConnectionState of, CoapConnectionException reason)
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
}
