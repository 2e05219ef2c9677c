using CoAP.NET.Messaging;
using CoAP.NET.Options;

namespace CoAP.NET.Signalling;

// RFC 8323 sections 3.3 and 5, for the connections of one shard: what takes the place of RFC 7252 section 4 on reliable transports.
//
// A plain state machine: it is told of connections, messages and the clock under the shard's lock, and posts and raises what follows, which
// the shard carries out after the lock was released. No socket, no await in here.

/// <summary>The signalling of a shard. Every method must be called under the shard's lock, unless it says otherwise.</summary>
internal sealed class SignallingLayer
{
    private readonly CoapShard _shard;
    private readonly CoapLimits _limits;
    private readonly CoapCounters _counters;
    private readonly ConnectionTimers _timers;
    private readonly ConnectionPings _pings = new();
    private readonly ConnectionSending _sending;
    private readonly ConnectionEnding _ending;
    private readonly ConnectionWatch _watch;

    /// <summary>Makes the signalling of a shard.</summary>
    /// <param name="shard">The shard.</param>
    /// <param name="messages">What is under way in sessions; null where there are none.</param>
    public SignallingLayer(CoapShard shard, MessageLayer? messages = null)
    {
        _shard = shard;
        _limits = shard.Environment.Limits;
        _counters = shard.Environment.Counters;
        CoapStreamOptions options = shard.Environment.Streams;
        _timers = new ConnectionTimers(shard, options);
        _sending = new ConnectionSending(shard, _pings);
        _ending = new ConnectionEnding(shard, options, _timers, messages);
        _watch = new ConnectionWatch(shard, options, _timers, _ending);
    }

    /// <summary>A connection was opened: our CSM is the first message on it.</summary>
    public void Open(CoapChannel channel, long now)
    {
        StreamState state = new(_watch, channel, now);
        channel.Requests = new RequestsUnderWay(channel, this);
        channel.SignallingState = state;
        CoapMessage csm = new(CoapCode.Csm);
        csm.Options.Add(new MaxMessageSize((uint)_limits.MaxStreamMessageSize));
        csm.Options.Add(new BlockWiseTransfer());
        if (_limits.MaxTokenLength > CoapToken.MaxLength)
        {
            csm.Options.Add(new ExtendedTokenLength(_limits.MaxTokenLength));
        }

        state.Post(csm);
        _timers.Arm(state, now);
    }

    /// <summary>A session was opened: both ends know of each other what there is to know.</summary>
    /// <param name="channel">The channel of the session, which says when the peer was last heard.</param>
    public void OpenSession(CoapChannel channel)
    {
        channel.SignallingState = new ConnectionState(_watch, channel, channel.LastSeen) { IsReady = true };
        _shard.Raise(new CoapInbound { Channel = channel, Kind = CoapInboundKind.Connected });
    }

    /// <summary>A connection has ended.</summary>
    public void Close(CoapChannel channel, CoapConnectionException reason)
    {
        if (channel.SignallingState is { } state)
        {
            _shard.Wheel.Cancel(state);
            ConnectionEnding.End(state, reason);
            channel.EndReason = state.Reason;
            state.Ended?.TrySetResult();
            _shard.Raise(new CoapInbound { Channel = channel, Kind = CoapInboundKind.Disconnected, Reason = state.Reason });
        }
    }

    /// <summary>
    /// Whether a message is one that signalling has nothing to do with: on a connection that is ready, of the class of requests or
    /// responses. Called without the lock, on the thread that receives.
    /// </summary>
    public static bool IsPlain(in CoapInbound item) =>
        item is { Kind: CoapInboundKind.Message, Message.Code: { IsSignalling: false, IsEmpty: false } }
        && item.Channel.SignallingState is StreamState { IsPlain: true };

    /// <summary>Something came that is not plain.</summary>
    /// <param name="item">What the Serializer made of a frame.</param>
    /// <param name="now">Now, in units of 100 ns.</param>
    /// <returns>Whether it goes up nevertheless; then <see cref="OnDrained"/> is called after it did.</returns>
    public bool Receive(in CoapInbound item, long now)
    {
        if (item.Channel.SignallingState is not StreamState { IsOver: false } state)
        {
            _counters.Add(CoapCounter.Ignored);
            return false;
        }

        state.LastHeard = now;
        if (item.Kind != CoapInboundKind.Message || item.Message is not { } message)
        {
            _ending.Abort(state, Describe(item.Error), now);
        }
        else if (!state.IsReady && message.Code != CoapCode.Csm)
        {
            _ending.Abort(state, "The first message must be a CSM (RFC 8323 section 3.3).", now);
        }
        else if (message.Code.IsEmpty)
        {
            // RFC 8323 section 3.4: it keeps the connection alive and means nothing.
            _counters.Add(CoapCounter.Ignored);
        }
        else if (message.Code.IsSignalling)
        {
            OnSignal(state, message, now);
        }
        else
        {
            // The connection is about to end: what is under way is finished.
            item.Channel.LastSeen = now;
            return true;
        }

        return false;
    }

    /// <summary>The beginning of a frame broke a rule, so that nothing after it can be read.</summary>
    public void Refuse(CoapChannel channel, Serialization.CoapFormatError error, long now) => Refuse(channel, Describe(error), now);

    /// <summary>The peer broke a rule, so that nothing more of it is read.</summary>
    public void Refuse(CoapChannel channel, string text, long now)
    {
        if (channel.SignallingState is StreamState { IsOver: false } state)
        {
            _ending.Abort(state, text, now);
        }
    }

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
        CoapChannel channel,
        HoldOff? holdOff,
        IReadOnlyList<AlternativeAddress> alternativeAddresses,
        string text,
        long now,
        bool atOnce = false) =>
        _ending.Release(channel, holdOff, alternativeAddresses, text, now, atOnce);

    /// <summary>The peer will send nothing more: what it asked for is answered, then the connection is closed.</summary>
    public void OnReceiveEnded(CoapChannel channel, long now) => _ending.OnReceiveEnded(channel, now);

    /// <summary>Something goes down that is more than a plain message.</summary>
    public void Send(in CoapOutbound item, long now) => _sending.Send(in item, now);

    /// <summary>The connection takes frames again.</summary>
    /// <returns>Whether more waits.</returns>
    public bool SendWaiting(CoapChannel channel, long now) => _sending.SendWaiting(channel, now);

    /// <summary>Waits until the peer's CSM came or the connection is over; the channel then tells which.</summary>
    public static Task WhenReady(CoapChannel channel) =>
        channel.SignallingState is not StreamState { IsReady: false, IsOver: false } state
            ? Task.CompletedTask
            : (state.Ready ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).Task;

    /// <summary>Waits until a connection has ended.</summary>
    public static Task WhenEnded(CoapChannel channel) =>
        channel.SignallingState is not { } state || channel.IsForgotten
            ? Task.CompletedTask
            : (state.Ended ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).Task;

    /// <summary>
    /// All requests of a peer that were waited for are answered, or something that was not plain went up, which may have been the response
    /// that the end of the connection waits for.
    /// </summary>
    public void OnDrained(CoapChannel channel)
    {
        if (channel.SignallingState is StreamState { IsOver: false } state)
        {
            ConnectionPings.AnswerCustody(state);
            _ending.CloseIfQuiet(state, _shard.Environment.Now);
        }
    }

    private string Describe(Serialization.CoapFormatError error) => error.Rule == Serialization.CoapFormatRule.TokenTooLong
        ? $"A token has at most {_limits.MaxTokenLength} bytes here, as the CSM said (RFC 8974 section 2.2.1)."
        : $"A frame broke the rule {error.Rule} at byte {error.Offset} (RFC 8323 section 3.2).";

    private void OnSignal(StreamState state, CoapMessage message, long now)
    {
        OptionVerdict verdict = OptionRules.Check(message);
        if (!verdict.IsAccepted)
        {
            // RFC 8323 section 5.2; also of a code that is not known, of which all options are unknown.
            _counters.Add(CoapCounter.BadOptions);
            _ending.Abort(
                state,
                $"Option {verdict.Number} of {message.Code} is critical and not understood (RFC 8323 section 5.2).",
                now,
                badCsmOption: message.Code == CoapCode.Csm ? verdict.Number : null);
        }
        else if (message.Code == CoapCode.Csm)
        {
            OnCapabilities(state, message, now);
        }
        else if (message.Code == CoapCode.Ping)
        {
            ConnectionPings.OnPing(state, message);
        }
        else if (message.Code == CoapCode.Pong)
        {
            if (ConnectionPings.OnPong(state, message) is { } answered)
            {
                _sending.Settle(answered, CoapInboundKind.Reset, state, now);
            }
        }
        else if (message.Code == CoapCode.Release)
        {
            _ending.OnRelease(state, message, now);
        }
        else if (message.Code == CoapCode.Abort)
        {
            _ending.OnAbort(state, message);
        }
        else
        {
            // A code of a later specification that demands nothing: RFC 8323 has no rule for it, so it does no harm.
            _counters.Add(CoapCounter.Ignored);
        }
    }

    // Each option holds until another CSM changes it, so that one without options changes nothing.
    private void OnCapabilities(StreamState state, CoapMessage csm, long now)
    {
        CoapChannel channel = state.Channel;
        if (csm.OptionsToRead is { } options)
        {
            if (options.TryGetUInt(MaxMessageSize.Definition.Number, out uint size))
            {
                channel.PeerMaxMessageSize = (int)Math.Min(size, int.MaxValue);
            }

            channel.TakesBlocks |= options.Contains(BlockWiseTransfer.Definition.Number);

            // RFC 8974 section 2.2.1: below 8 it says nothing.
            if (options.TryGetUInt(ExtendedTokenLength.Definition.Number, out uint length) && length >= CoapToken.MaxLength)
            {
                channel.PeerMaxTokenLength = (int)Math.Min(length, CoapToken.MaxExtendedLength);
            }
        }

        if (!state.IsReady)
        {
            state.IsReady = true;
            state.Ready?.TrySetResult();
            state.LastUsed = now;
            _timers.Arm(state, now);
            _shard.Raise(new CoapInbound { Channel = channel, Kind = CoapInboundKind.Connected });
        }
    }
}
