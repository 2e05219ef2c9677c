using CoAP.NET.Channels;
using CoAP.NET.Options;

namespace CoAP.NET.Signalling;

// RFC 8323 sections 3.3 and 5, for the connections of one shard: what takes the place of RFC 7252 section 4 on reliable transports.
//
// A plain state machine: it is told of connections, messages and the clock under the shard's lock, and posts and raises what follows, which the shard carries
// out after the lock was released. No socket, no await, no lock in here.

/// <summary>The signalling of a shard. Every method must be called under the shard's lock, unless it says otherwise.</summary>
internal sealed partial class SignallingLayer
{
    private readonly CoapShard _shard;
    private readonly CoapLimits _limits;
    private readonly CoapCounters _counters;
    private readonly CoapStreamOptions _options;

    public SignallingLayer(CoapShard shard)
    {
        _shard = shard;
        _limits = shard.Environment.Limits;
        _counters = shard.Environment.Counters;
        _options = shard.Environment.Streams;
    }

    /// <summary>A connection was opened: our CSM is the first message on it.</summary>
    public void Open(CoapChannel channel, long now)
    {
        ConnectionState state = new(this, channel, now);
        channel.MessagingState = state;
        CoapMessage csm = new(CoapCode.Csm);
        csm.Options.Add(new MaxMessageSize((uint)_limits.MaxStreamMessageSize));
        csm.Options.Add(new BlockWiseTransfer());
        if (_limits.MaxTokenLength > CoapToken.MaxLength)
        {
            csm.Options.Add(new ExtendedTokenLength(_limits.MaxTokenLength));
        }

        Post(state, csm);
        Arm(state, _options.CsmTimeout, now);
    }

    /// <summary>A connection has ended.</summary>
    public void Close(CoapChannel channel, CoapConnectionException reason, long now)
    {
        _ = now;
        if (channel.MessagingState is ConnectionState state)
        {
            _shard.Wheel.Cancel(state);
            End(state, reason);
            _shard.Raise(new CoapInbound { Channel = channel, Kind = CoapInboundKind.Disconnected, Reason = state.Reason });
        }
    }

    /// <summary>
    /// Whether a message is one that signalling has nothing to do with: on a connection that is ready, of the class of requests or responses. Called without the lock, on the thread that receives.
    /// </summary>
    public static bool IsPlain(in CoapInbound item) =>
        item is { Kind: CoapInboundKind.Message, Message.Code: { IsSignalling: false, IsEmpty: false } } && item.Channel.MessagingState is ConnectionState { IsReady: true, IsOver: false };

    /// <summary>Something came that is not plain.</summary>
    /// <param name="item">What the Serializer made of a frame.</param>
    /// <param name="now">Now, in units of 100 ns.</param>
    public void Receive(in CoapInbound item, long now)
    {
        if (item.Channel.MessagingState is not ConnectionState { IsOver: false } state)
        {
            _counters.Add(CoapCounter.Ignored);
            return;
        }

        state.LastHeard = now;
        if (item.Kind != CoapInboundKind.Message || item.Message is not { } message)
        {
            Abort(state, $"A frame broke the rule {item.Error.Rule} (RFC 8323 section 3.2).", now);
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
        else
        {
            OnSignal(state, message, now);
        }
    }

    /// <summary>The beginning of a frame broke a rule, so that nothing after it can be read.</summary>
    public void Refuse(CoapChannel channel, string text, long now)
    {
        if (channel.MessagingState is ConnectionState { IsOver: false } state)
        {
            Abort(state, text, now);
        }
    }

    /// <summary>The time has come that a connection waited for.</summary>
    public void OnDue(ConnectionState state, long now)
    {
        if (state.IsOver)
        {
            // Whatever kept the last message from leaving, the connection ends now.
            _shard.AfterRelease(static over => ((ConnectionState)over!).Channel.Connection!.Close(((ConnectionState)over).Reason), state);
        }
        else if (!state.IsReady)
        {
            _counters.Add(CoapCounter.SlowConnections);
            Abort(state, "No CSM came in time (RFC 8323 section 3.3).", now, CoapConnectionError.TooSlow);
        }
    }

    private void OnSignal(ConnectionState state, CoapMessage message, long now)
    {
        OptionVerdict verdict = OptionRules.Check(message);
        if (!verdict.IsAccepted)
        {
            _counters.Add(CoapCounter.BadOptions);
            Abort(state, verdict.Describe(), now);
        }
        else if (message.Code == CoapCode.Csm)
        {
            OnCapabilities(state, message);
        }
        else
        {
            _counters.Add(CoapCounter.Ignored);
        }
    }

    // RFC 8323 section 5.3: each option holds until another CSM changes it.
    private void OnCapabilities(ConnectionState state, CoapMessage csm)
    {
        CoapChannel channel = state.Channel;
        if (csm.OptionsToRead is { } options)
        {
            if (options.TryGetUInt(MaxMessageSize.Definition.Number, out uint size))
            {
                channel.PeerMaxMessageSize = (int)Math.Min(size, int.MaxValue);
            }

            channel.TakesBlocks |= options.Contains(BlockWiseTransfer.Definition.Number);
            if (options.TryGetUInt(ExtendedTokenLength.Definition.Number, out uint length))
            {
                channel.PeerMaxTokenLength = (int)Math.Clamp(length, CoapToken.MaxLength, CoapToken.MaxExtendedLength);
            }
        }

        if (!state.IsReady)
        {
            state.IsReady = true;
            _shard.Wheel.Cancel(state);
            _shard.Raise(new CoapInbound { Channel = channel, Kind = CoapInboundKind.Connected });
        }
    }

    /// <summary>RFC 8323 section 5.6: says why, and closes.</summary>
    private void Abort(ConnectionState state, string text, long now, CoapConnectionError error = CoapConnectionError.Aborted)
    {
        _counters.Add(CoapCounter.ConnectionsAborted);
        CoapMessage abort = new(CoapCode.Abort) { Payload = System.Text.Encoding.UTF8.GetBytes(text) };
        End(state, new CoapConnectionException(error, $"The connection to {state.Channel} was aborted: {text}"));
        _shard.Post(new CoapOutbound { Channel = state.Channel, Message = abort, IsLast = true });
        Arm(state, _options.ReleaseTimeout, now);
    }

    private static void End(ConnectionState state, CoapConnectionException reason)
    {
        state.Reason ??= reason;
        state.IsOver = true;
        while (state.Waiting.First is { } waiting)
        {
            state.Waiting.RemoveFirst();
            waiting.Value.IsQueued = false;
            waiting.Value.IsOver = true;
        }
    }

    private void Post(ConnectionState state, CoapMessage message) => _shard.Post(new CoapOutbound { Channel = state.Channel, Message = message });

    private void Arm(ConnectionState state, TimeSpan time, long now)
    {
        if (time == Timeout.InfiniteTimeSpan)
        {
            _shard.Wheel.Cancel(state);
        }
        else
        {
            _shard.Wheel.Schedule(state, now + time.Ticks);
        }
    }
}
