using CoAP.NET.Channels;
using CoAP.NET.Errors;
using CoAP.NET.Formats;
using CoAP.NET.Groups;

namespace CoAP.NET.Exchanges;

/// <summary>
/// The entry of client requests into the mesh. Requests are registered before they leave, so no response overtakes them, and the Exchanges
/// stage offers them. Refuses requests that are too large, and all requests of a stopped endpoint. No method may be called under a lock.
/// </summary>
internal sealed class ClientSender
{
    private const string StoppedText = "The endpoint was stopped and cannot send requests. Create a new endpoint.";

    private readonly CoapShard _shard;
    private readonly ExchangeLayer _layer;
    private readonly ChannelTable _channels;
    private readonly ExchangesOutboundBlock _block;
    private readonly EndpointState _state;
    private readonly MessageFormats _formats;

    public ClientSender(CoapShard shard, ExchangeLayer layer, ChannelTable channels, ExchangesOutboundBlock block, EndpointState state,
        MessageFormats formats)
    {
        _shard = shard;
        _layer = layer;
        _channels = channels;
        _block = block;
        _state = state;
        _formats = formats;
    }

    /// <summary>Sends a client request. Errors end its task.</summary>
    /// <param name="channel">
    /// The peer. A forgotten one, for example a peer that a server remembers for days, returns to the table; otherwise an answer would not
    /// find it.
    /// </param>
    /// <param name="message">The message.</param>
    /// <param name="time">The time limits.</param>
    /// <param name="run">The steps that see the response; the default when there are none, or when they await it.</param>
    /// <param name="cancellationToken">Cancels the wait and stops further copies.</param>
    /// <param name="isForwarded">Whether a proxy forwards the request for another client.</param>
    /// <param name="onBehalfOf">The client; null for the caller.</param>
    /// <param name="keepsToken">Whether the message has its token already, which it gets again if no other request has it.</param>
    /// <returns>The request; its task ends with the response.</returns>
    public ClientRequest Begin(
        CoapChannel channel, CoapMessage message, ClientRequestTimeLimit time, in OutgoingRequestRun run,
            CancellationToken cancellationToken,
        bool isForwarded = false, CoapQuotaSource? onBehalfOf = null, bool keepsToken = false)
    {
        ClientRequest request;
        _shard.Enter();
        try
        {
            request = new ClientRequest(_layer, _channels.Restore(channel), message, time, in run) { IsForwarded = isForwarded };
            request.Transmission.OnBehalfOf = onBehalfOf;
            _layer.Register(request, keepsToken);
        }
        finally
        {
            _shard.ExitAndSend();
        }

        if (_formats.IsTooLarge(message, request.Channel, out long size))
        {
            Fail(request, MessageFormats.TooLarge("request", request.Channel, size, "Send less"));
        }
        else
        {
            Send(request, cancellationToken);
        }

        return request;
    }

    /// <summary>Sends an auxiliary request without steps; the caller judges the options of the response.</summary>
    public ClientRequest BeginPlain(CoapChannel channel, CoapMessage message) =>
        Begin(channel, message, default, default, CancellationToken.None, isForwarded: true);

    /// <summary>Sends an Empty Confirmable message and waits for its Reset (RFC 7252 section 4.3), or a Ping on a connection.</summary>
    /// <param name="channel">The peer.</param>
    /// <param name="time">The time limits.</param>
    /// <param name="passesQueue">Whether to bypass outstanding messages.</param>
    /// <param name="cancellationToken">Cancels the wait and stops further copies.</param>
    /// <returns>The round-trip time.</returns>
    public Task<TimeSpan> PingAsync(CoapChannel channel, ClientRequestTimeLimit time, bool passesQueue, CancellationToken cancellationToken)
    {
        PingRequest ping;
        _shard.Enter();
        try
        {
            ping = new PingRequest(_layer, _channels.Restore(channel), time, _shard.Environment.Now, passesQueue);
            _layer.Register(ping);
        }
        finally
        {
            _shard.ExitAndSend();
        }

        Send(ping, cancellationToken);
        return ping.Completion.Task;
    }

    /// <summary>Sends a stateless request, which already has its token. The caller must hold no lock.</summary>
    public void SendStateless(CoapChannel channel, CoapMessage message)
    {
        // Until Messaging has the message, nothing else keeps the channel.
        _shard.Enter();
        try
        {
            channel = _channels.Restore(channel);
            channel.Pins++;
        }
        finally
        {
            _shard.ExitAndSend();
        }

        try
        {
            OrderStateless(channel, message);
        }
        finally
        {
            lock (_shard.Gate)
            {
                channel.Pins--;
            }
        }
    }

    /// <summary>
    /// Sends a request to a group and starts to accept the answers of its members. Errors end the request. The caller must hold no lock.
    /// </summary>
    /// <param name="requests">The running group requests.</param>
    /// <param name="channel">The group; see <see cref="Begin"/>.</param>
    /// <param name="message">The message; this method sets its token.</param>
    /// <param name="settings">How long to accept answers, and which.</param>
    /// <returns>The request; null when too many run.</returns>
    public GroupRequest? TryBegin(GroupRequests requests, CoapChannel channel, CoapMessage message, in GroupRequestSettings settings)
    {
        GroupRequest request;
        _shard.Enter();
        try
        {
            request = new GroupRequest(requests, _channels.Restore(channel), message, in settings);
            if (!requests.TryBegin(request))
            {
                return null;
            }

            request.Begin();
        }
        finally
        {
            _shard.ExitAndSend();
        }

        Send(request);
        return request;
    }

    private void OrderStateless(CoapChannel channel, CoapMessage message)
    {
        if (_state.IsStopped)
        {
            throw new CoapException(StoppedText);
        }

        if (_formats.IsTooLarge(message, channel, out long size))
        {
            throw new CoapException(
                CoapError.TooLarge,
                $"The request to {channel} takes {size} bytes with its state in the token, but a message to it has at "
                    + $"most {channel.MaxMessageSize}. Send less, or keep less state in the token.");
        }

        _shard.Environment.Counters.Add(CoapCounter.RequestsSent);
        if (!_block.TryOrder(new CoapOutbound
        {
            Channel = channel,
            Message = message,
            Transmission = new CoapTransmission(channel, message, null) { IsStateless = true }
        }))
        {
            throw new CoapException(DeclinedText(channel));
        }
    }

    private void Send(GroupRequest request)
    {
        if (_state.IsStopped)
        {
            request.End(new CoapException(StoppedText));
        }
        else if (_formats.IsTooLarge(request.Message, request.Channel, out long size))
        {
            request.End(new CoapException(
                CoapError.TooLarge,
                $"The request to {request.Channel} takes {size} bytes, but a message to it has at most {request.Channel.MaxMessageSize}, "
                    + "and a request to a group has only one. Send less."));
        }
        else
        {
            _shard.Environment.Counters.Add(CoapCounter.RequestsSent);
            if (!_block.TryOrder(
                new CoapOutbound { Channel = request.Channel, Message = request.Message, Transmission = request.Transmission }))
            {
                request.End(new CoapException(DeclinedText(request.Channel)));
            }
        }
    }

    /// <summary>Stops retransmitting a message.</summary>
    public void Cancel(CoapTransmission transmission) => _block.Cancel(transmission);

    /// <summary>Reserves a lasting token, for example for an observation, so that a notification may overtake the answer.</summary>
    public MultiResponseToken Open(CoapChannel channel, ITokenOwner owner)
    {
        _shard.Enter();
        try
        {
            MultiResponseToken request = new(_channels.Restore(channel), owner);
            _layer.Open(request);
            return request;
        }
        finally
        {
            _shard.ExitAndSend();
        }
    }

    /// <summary>Adds a token of an earlier process to the table; see <see cref="Open"/>.</summary>
    /// <returns>The token; null when another request to the peer has it.</returns>
    public MultiResponseToken? TryAdopt(CoapChannel channel, CoapToken token, ITokenOwner owner)
    {
        _shard.Enter();
        try
        {
            MultiResponseToken request = new(_channels.Restore(channel), owner) { Token = token };
            return _layer.TryAdopt(request) ? request : null;
        }
        finally
        {
            _shard.ExitAndSend();
        }
    }

    /// <summary>Starts to hold notifications without a receiver.</summary>
    /// <param name="longest">The maximum duration.</param>
    /// <returns>The handle to end it.</returns>
    public UnmatchedNotificationHold PauseNotifications(TimeSpan longest)
    {
        _shard.Enter();
        try
        {
            return _layer.UnmatchedNotificationQueue.Begin(longest);
        }
        finally
        {
            _shard.ExitAndSend();
        }
    }

    /// <summary>Removes a standing request from the table. Does nothing when it was already closed.</summary>
    public void Close(MultiResponseToken request)
    {
        _shard.Enter();
        try
        {
            ExchangeLayer.Close(request);
        }
        finally
        {
            _shard.ExitAndSend();
        }
    }

    /// <summary>Removes every request and ping that waits for one of these peers, because the endpoint stops.</summary>
    public List<PendingRequest> TakeAll(IEnumerable<CoapChannel> channels)
    {
        _shard.Enter();
        try
        {
            return _layer.TakeAll(channels);
        }
        finally
        {
            _shard.ExitAndSend();
        }
    }

    // Checked after the registration: a thread that stops the endpoint either finds the request there, or is seen here.
    private void Send(PendingRequest request, CancellationToken cancellationToken)
    {
        if (_state.IsStopped)
        {
            Fail(request, StoppedText);
            return;
        }

        if (request is ClientRequest)
        {
            _shard.Environment.Counters.Add(CoapCounter.RequestsSent);
        }

        request.CancelWith(cancellationToken);
        if (!request.IsCompleted
            && !_block.TryOrder(
                new CoapOutbound { Channel = request.Channel, Message = request.Message, Transmission = request.Transmission }))
        {
            Fail(request, DeclinedText(request.Channel));
        }
    }

    private static string DeclinedText(CoapChannel channel) =>
        $"The request to {channel} was declined by a block that is linked into the pipeline.";

    private static void Fail(PendingRequest request, string message) => Fail(request, new CoapException(message));

    private static void Fail(PendingRequest request, CoapException error)
    {
        if (request.TryTake())
        {
            request.Fail(error);
        }
    }

    /// <summary>
    /// Sends a message with the token of a standing request. The owner of the request gets the outcome. The caller must hold no lock.
    /// </summary>
    /// <returns>The error; null for success.</returns>
    public CoapException? Send(CoapTransmission transmission)
    {
        CoapChannel channel = transmission.Peer;
        if (_state.IsStopped)
        {
            return new CoapException("The endpoint was stopped and cannot observe. Create a new endpoint.");
        }

        if (_formats.IsTooLarge(transmission.Message, channel, out long size))
        {
            return MessageFormats.TooLarge("registration", channel, size, "Shorten the request");
        }

        _shard.Environment.Counters.Add(CoapCounter.RequestsSent);
        return _block.TryOrder(new CoapOutbound { Channel = channel, Message = transmission.Message, Transmission = transmission })
            ? null
            : new CoapException($"The registration at {channel} was declined by a block that is linked into the pipeline.");
    }
}
