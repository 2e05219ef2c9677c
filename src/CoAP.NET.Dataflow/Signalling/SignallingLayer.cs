using CoAP.NET.Channels;
using CoAP.NET.Messaging;
using CoAP.NET.Options;

namespace CoAP.NET.Signalling;

// RFC 8323 sections 3.3 and 5, for the connections of one shard: what takes the place of RFC 7252 section 4 on reliable transports.
//
// A plain state machine: it is told of connections, messages and the clock under the shard's lock, and posts and raises what follows, which the shard carries
// out after the lock was released. No socket, no await in here.

/// <summary>The signalling of a shard. Every method must be called under the shard's lock, unless it says otherwise.</summary>
internal sealed partial class SignallingLayer
{
    private readonly CoapShard _shard;
    private readonly CoapLimits _limits;
    private readonly CoapCounters _counters;
    private readonly CoapStreamOptions _options;
    private readonly long _period;

    // Asked of sessions; null where there are none.
    private readonly MessageLayer? _messages;

    public SignallingLayer(CoapShard shard, MessageLayer? messages = null)
    {
        _shard = shard;
        _messages = messages;
        _limits = shard.Environment.Limits;
        _counters = shard.Environment.Counters;
        _options = shard.Environment.Streams;
        _period = PeriodOf(_options);
    }

    /// <summary>A connection was opened: our CSM is the first message on it.</summary>
    public void Open(CoapChannel channel, long now)
    {
        StreamState state = new(this, channel, now);
        channel.Requests = new RequestsUnderWay(channel, this);
        channel.SignallingState = state;
        CoapMessage csm = new(CoapCode.Csm);
        csm.Options.Add(new MaxMessageSize((uint)_limits.MaxStreamMessageSize));
        csm.Options.Add(new BlockWiseTransfer());
        if (_limits.MaxTokenLength > CoapToken.MaxLength)
        {
            csm.Options.Add(new ExtendedTokenLength(_limits.MaxTokenLength));
        }

        Post(state, csm);
        Arm(state, now);
    }

    /// <summary>A connection has ended.</summary>
    public void Close(CoapChannel channel, CoapConnectionException reason)
    {
        if (channel.SignallingState is { } state)
        {
            _shard.Wheel.Cancel(state);
            End(state, reason);
            channel.EndReason = state.Reason;
            state.Ended?.TrySetResult();
            _shard.Raise(new CoapInbound { Channel = channel, Kind = CoapInboundKind.Disconnected, Reason = state.Reason });
        }
    }

    /// <summary>
    /// Whether a message is one that signalling has nothing to do with: on a connection that is ready, of the class of requests or responses. Called without the lock, on the thread that receives.
    /// </summary>
    public static bool IsPlain(in CoapInbound item) =>
        item is { Kind: CoapInboundKind.Message, Message.Code: { IsSignalling: false, IsEmpty: false } } && item.Channel.SignallingState is StreamState { IsPlain: true };

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
            Abort(state, Describe(item.Error), now);
        }
        else if (!state.IsReady && message.Code != CoapCode.Csm)
        {
            Abort(state, "The first message must be a CSM (RFC 8323 section 3.3).", now);
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
            Abort(state, text, now);
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
            Abort(
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
            OnPing(state, message);
        }
        else if (message.Code == CoapCode.Pong)
        {
            OnPong(state, message, now);
        }
        else if (message.Code == CoapCode.Release)
        {
            OnRelease(state, message, now);
        }
        else if (message.Code == CoapCode.Abort)
        {
            OnAbort(state, message);
        }
        else
        {
            // A code of a later specification that demands nothing: RFC 8323 has no rule for it, so it does no harm.
            _counters.Add(CoapCounter.Ignored);
        }
    }

    private void Post(StreamState state, CoapMessage message, bool isLast = false) =>
        _shard.Post(new CoapOutbound { Channel = state.Channel, Message = message, IsLast = isLast });
}
