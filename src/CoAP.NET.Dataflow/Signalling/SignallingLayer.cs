using CoAP.NET.Transports;

namespace CoAP.NET.Signalling;

// RFC 8323 sections 3.3 and 5 for the connections of one shard, in place of RFC 7252 section 4 on reliable transports. A plain state
// machine: it gets connections, messages and the clock under the shard's lock, and posts and raises effects, which the shard carries out
// after the release of the lock. It uses no socket and no await.

/// <summary>The signalling of a shard. Call every method under the shard's lock, unless it says otherwise.</summary>
internal sealed class SignallingLayer : IConnectionRequestWaiter
{
    private readonly CoapShard _shard;
    private readonly CoapLimits _limits;
    private readonly CoapCounters _counters;
    private readonly ConnectionTimers _timers;
    private readonly ConnectionPings _pings = new();
    private readonly ConnectionSender _sending;
    private readonly ConnectionTerminator _ending;
    private readonly ConnectionMonitor _watch;

    /// <summary>Creates the signalling of a shard.</summary>
    /// <param name="shard">The shard.</param>
    /// <param name="messages">The pending messages of sessions; null for none.</param>
    public SignallingLayer(CoapShard shard, IPeerEvictionGuard? messages = null)
    {
        _shard = shard;
        _limits = shard.Environment.Limits;
        _counters = shard.Environment.Counters;
        CoapStreamOptions options = shard.Environment.Streams;
        _timers = new ConnectionTimers(shard, options);
        _sending = new ConnectionSender(shard, _pings);
        _ending = new ConnectionTerminator(shard, options, _timers, messages);
        _watch = new ConnectionMonitor(shard, options, _timers, _ending);
    }

    /// <summary>Handles a new connection: the local CSM is the first message on it.</summary>
    public void Open(CoapChannel channel, long now)
    {
        StreamState state = new(_watch, channel, now);
        channel.Connection!.Requests = new ConnectionRequestCounter(channel, this);
        ConnectionSignallingState.Set(channel, state);
        CoapMessage csm = new(CoapCode.Csm);
        csm.Options.Add(new MaxMessageSizeOption((uint)_limits.Connections.MaxMessageSize));
        csm.Options.Add(new BlockWiseTransferOption());
        if (_limits.Messages.MaxTokenLength > CoapToken.MaxLength)
        {
            csm.Options.Add(new ExtendedTokenLengthOption(_limits.Messages.MaxTokenLength));
        }

        state.Post(csm);
        _timers.Arm(state, now);
    }

    /// <summary>Handles a new session: both ends already know everything about each other.</summary>
    /// <param name="channel">The channel of the session, which has the time of the peer's last message.</param>
    public void OpenSession(CoapChannel channel)
    {
        ConnectionSignallingState.Set(channel, new ConnectionSignallingState(_watch, channel) { IsReady = true });
        _shard.Raise(new CoapInbound { Channel = channel, Kind = CoapInboundKind.Connected });
    }

    public void Close(CoapChannel channel, CoapConnectionException reason)
    {
        if (ConnectionSignallingState.Of(channel) is { } state)
        {
            _shard.Wheel.Cancel(state);
            ConnectionTerminator.End(state, reason);
            state.Ended?.TrySetResult();
            state.Quiet?.TrySetResult();
            _shard.Raise(new CoapInbound { Channel = channel, Kind = CoapInboundKind.Disconnected, Reason = state.Reason });
        }
    }

    /// <summary>
    /// Whether a message needs no signalling: a request or response on a ready connection. Called without the lock, on the receiving
    /// thread.
    /// </summary>
    public static bool IsPlain(in CoapInbound item) =>
        item is { Kind: CoapInboundKind.Message, Message.Code: { IsSignalling: false, IsEmpty: false } }
        && ConnectionSignallingState.Of(item.Channel) is StreamState { IsPlain: true };

    /// <summary>Handles an item that is not plain.</summary>
    /// <param name="item">The result of the Serializer for a frame.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    /// <returns>Whether it goes up nevertheless; <see cref="OnDrained"/> is then called afterwards.</returns>
    public bool Receive(in CoapInbound item, long now)
    {
        if (ConnectionSignallingState.Of(item.Channel) is not StreamState { IsOver: false } state)
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
            // RFC 8323 section 3.4: it keeps the connection alive and has no meaning.
            _counters.Add(CoapCounter.Ignored);
        }
        else if (message.Code.IsSignalling)
        {
            OnSignal(state, message, now);
        }
        else
        {
            // The connection is about to end: pending exchanges finish.
            item.Channel.LastSeen = now;
            return true;
        }

        return false;
    }

    /// <summary>Handles a malformed beginning of a frame; nothing after it is readable.</summary>
    public void Refuse(CoapChannel channel, CoapFormatError error, long now) => Refuse(channel, Describe(error), now);

    /// <summary>Handles a violation of a rule by the peer; nothing more is read from it.</summary>
    public void Refuse(CoapChannel channel, string text, long now)
    {
        if (ConnectionSignallingState.Of(channel) is StreamState { IsOver: false } state)
        {
            _ending.Abort(state, text, now);
        }
    }

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
        CoapChannel channel,
        HoldOffOption? holdOff,
        IReadOnlyList<AlternativeAddressOption> alternativeAddresses,
        string text,
        long now,
        bool atOnce = false) =>
        _ending.Release(channel, holdOff, alternativeAddresses, text, now, atOnce);

    public Task ReleaseToStop(CoapChannel channel, string text, long now) => _ending.ReleaseToStop(channel, text, now);

    /// <summary>Handles a half-closed connection: its requests are answered, then it is closed.</summary>
    public void OnReceiveEnded(CoapChannel channel, long now) => _ending.OnReceiveEnded(channel, now);

    /// <summary>Sends an item that is more than a plain message.</summary>
    public void Send(in CoapOutbound item, long now) => _sending.Send(in item, now);

    /// <summary>Handles a connection that accepts frames again.</summary>
    /// <returns>Whether more messages wait.</returns>
    public bool SendWaiting(CoapChannel channel, long now) => _sending.SendWaiting(channel, now);

    /// <summary>Completes when the peer's CSM arrived or the connection is over; the channel then has the outcome.</summary>
    public static Task WhenReady(CoapChannel channel) =>
        ConnectionSignallingState.Of(channel) is not StreamState { IsReady: false, IsOver: false } state
            ? Task.CompletedTask
            : (state.Ready ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).Task;

    /// <summary>Completes when a connection has ended.</summary>
    public static Task WhenEnded(CoapChannel channel) =>
        ConnectionSignallingState.Of(channel) is not { } state || channel.IsForgotten
            ? Task.CompletedTask
            : (state.Ended ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).Task;

    void IConnectionRequestWaiter.OnRequestsEnded(CoapChannel channel)
    {
        _shard.Enter();
        try
        {
            OnDrained(channel);
        }
        finally
        {
            _shard.ExitAndSend();
        }
    }

    /// <summary>
    /// Handles the end of awaited requests of a peer, or an item that was not plain and went up. The item may be the response that the end
    /// of the connection waits for.
    /// </summary>
    public void OnDrained(CoapChannel channel)
    {
        if (ConnectionSignallingState.Of(channel) is StreamState { IsOver: false } state)
        {
            ConnectionPings.AnswerCustody(state);
            _ending.CloseIfQuiet(state, _shard.Environment.Now);
        }
    }

    private string Describe(CoapFormatError error) => error.Rule == CoapMessageFormatViolation.TokenTooLong
        ? $"A token has at most {_limits.Messages.MaxTokenLength} bytes here, as the CSM said (RFC 8974 section 2.2.1)."
        : $"A frame broke the rule {error.Rule} at byte {error.Offset} (RFC 8323 section 3.2).";

    private void OnSignal(StreamState state, CoapMessage message, long now)
    {
        OptionVerdict verdict = OptionRules.Check(message);
        if (!verdict.IsAccepted)
        {
            // RFC 8323 section 5.2; also for an unknown code, whose options are all unknown.
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
            // A code of a later specification that requires nothing: RFC 8323 has no rule for it, so it is ignored.
            _counters.Add(CoapCounter.Ignored);
        }
    }

    // Each option is valid until another CSM changes it, so a CSM without options changes nothing.
    private void OnCapabilities(StreamState state, CoapMessage csm, long now)
    {
        CoapChannel channel = state.Channel;
        ConnectionCapabilities capabilities = channel.Connection!.Capabilities;
        if (csm.OptionsToRead is { } options)
        {
            if (options.TryGetUInt(MaxMessageSizeOption.Definition.Number, out uint size))
            {
                capabilities = capabilities with { MaxMessageSize = (int)Math.Min(size, int.MaxValue) };
            }

            if (options.Contains(BlockWiseTransferOption.Definition.Number))
            {
                capabilities = capabilities with { ReportsBlockSupport = true };
            }

            // RFC 8974 section 2.2.1: values below 8 have no meaning.
            if (options.TryGetUInt(ExtendedTokenLengthOption.Definition.Number, out uint length) && length >= CoapToken.MaxLength)
            {
                capabilities = capabilities with { MaxTokenLength = (int)Math.Min(length, CoapToken.MaxExtendedLength) };
            }
        }

        channel.Connection.Capabilities = capabilities;
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
