using System.Diagnostics.CodeAnalysis;
using CoAP.NET.Blockwise.Server;
using CoAP.NET.Channels;
using CoAP.NET.Formats;
using CoAP.NET.Groups;
using CoAP.NET.Messaging;
using CoAP.NET.Observing.Server;
using CoAP.NET.Requests;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Exchanges;

/// <summary>
/// The outbound half of Exchanges: answers of the Resource stage become responses with the token of their request (RFC 7252 section 5.3.1);
/// client requests enter here.
/// </summary>
internal sealed class ExchangesOutboundBlock : InlineBlock<CoapServerReply, CoapOutbound>
{
    private readonly CoapShard _shard;
    private readonly EndpointState _state;
    private readonly MessagingOutboundBlock _messagingOut;
    private readonly BlockwiseResponder _blockwise;
    private readonly GroupResponseSettings _groups;
    private readonly MessageFormats _formats;
    private readonly UnverifiedResponseLimiter _limit;
    private readonly ObserverTable _observers;

    // Answers to group requests that wait for their moment. Guarded by Shard.Gate.
    private readonly DelayedReplies _delayed;

    internal ExchangesOutboundBlock(
        CoapShard shard,
        ExchangeLayer layer,
        ChannelTable channels,
        MessagingOutboundBlock messagingOut,
        EndpointState state,
        BlockwiseResponder blockwise,
        ObserverTable observers,
        MessageFormats formats,
        GroupResponseSettings groups)
        : base(shard.Environment.Counters, shard.Environment.Logger)
    {
        _shard = shard;
        _state = state;
        _messagingOut = messagingOut;
        _blockwise = blockwise;
        _formats = formats;
        _limit = new UnverifiedResponseLimiter(shard, blockwise, formats);
        _observers = observers;
        Sender = new ClientSender(shard, layer, channels, this, state, formats);
        _groups = groups;
        _delayed = new DelayedReplies(shard, groups.MaxDelayedReplies, this);
    }

    internal ClientSender Sender { get; }

    /// <summary>The number of answers to group requests that wait for their moment. Under Shard.Gate.</summary>
    internal int DelayedAnswers => _delayed.Count;

    /// <summary>Sends a message of a state machine, such as a notification. The caller must hold no lock.</summary>
    internal void Send(CoapTransmission transmission)
    {
        bool isTaken = Emit(
            new CoapOutbound { Channel = transmission.Peer, Message = transmission.Message, Transmission = transmission });
        transmission.Owner?.OnOffered(transmission, isTaken);
    }

    /// <summary>Stops the copies of a message and frees its place. The caller must hold no lock.</summary>
    internal void Cancel(CoapTransmission transmission) =>
        Emit(new CoapOutbound { Channel = transmission.Peer, Kind = CoapOutboundAction.Cancel, Transmission = transmission });

    /// <summary>Settles a received message without an answer. The caller must hold no lock.</summary>
    /// <param name="received">The message; null on connections, where nothing must be settled.</param>
    /// <param name="kind">The way to settle it.</param>
    internal void Settle(ReceivedMessage? received, CoapOutboundAction kind)
    {
        if (received is not null)
        {
            Emit(new CoapOutbound { Channel = received.Channel, Kind = kind, Received = received });
        }
    }

    /// <summary>Sends a client request to Messaging. The caller must hold no lock.</summary>
    /// <returns>False when a linked block declined it.</returns>
    internal bool TryOrder(CoapOutbound order) => Emit(order);

    internal override void Process(CoapServerReply item)
    {
        CoapExchange exchange = item.Exchange;
        if (exchange.IsAnswered)
        {
            Counters.Add(CoapCounter.LateResponses);
            return;
        }

        try
        {
            Reply(in item);
        }
#pragma warning disable CA1031 // the client gets an answer, whatever is wrong with the first one
        catch (Exception exception) when (!exchange.IsAnswered)
#pragma warning restore CA1031
        {
            Failed(exception);
            ReplyWithError(exchange);
        }
        finally
        {
            exchange.End();
            (item.Result as PartialBodyResult)?.CloseUnlessStored();
        }
    }

    private void ReplyWithError(CoapExchange exchange)
    {
        exchange.IsAnswered = true;
        CoapMessage response = new CoapServerReply(exchange, new CoapResult(CoapCode.InternalServerError)).ToMessage();
        if (exchange.Observing is Notification notification)
        {
            notification.Publish(response);
        }
        else
        {
            Offer(new CoapOutbound { Channel = exchange.Channel, Message = response, Received = exchange.Received });
        }
    }

    private protected override void OnDeclined(CoapOutbound item) => ReplyPast(item, CoapCode.ServiceUnavailable);

    private protected override void OnLost(CoapOutbound item) => ReplyPast(item, CoapCode.InternalServerError);

    // A block of the application did not pass on a reply: the client gets another one, past that block. For client requests, the sender
    // notifies the caller.
    private void ReplyPast(in CoapOutbound item, CoapCode code)
    {
        if (item is { Kind: CoapOutboundAction.Message, Message: { Code.IsResponse: true } message, Transmission: null })
        {
            _messagingOut.Run(new CoapOutbound
            {
                Channel = item.Channel.Wire,
                Message = new CoapMessage(code) { Token = message.Token },
                Received = item.Received
            });
        }
    }

    private void Reply(in CoapServerReply item)
    {
        CoapExchange exchange = item.Exchange;
        if (_state.IsStopped)
        {
            Counters.Add(CoapCounter.LateResponses);
            return;
        }

        CoapResult result = item.Result;

        // Later steps, such as cutting the body into blocks, treat notifications like answers: the exchange of a notification has the
        // options of the registration.
        Notification? notification = exchange.Observing as Notification;
        if (notification?.TryAnswer(ref result) == false)
        {
            return;
        }

        Observer? observer = exchange.Observing is PendingObserverRegistration registration
            ? registration.Answer(_observers, exchange, ref result)
            : null;

        CoapResult? sent = BlockwiseResponder.Concerns(exchange, result) ? _blockwise.Cut(exchange, result) : result;
        if (sent is null)
        {
            observer?.Withdraw();
            return;
        }

        CoapMessage? response = new CoapServerReply(exchange, sent).ToMessage();
        if (_formats.IsTooLarge(response, exchange.Channel, out long size)
            && (!TryCutSmaller(exchange, result, out response) || _formats.IsTooLarge(response, exchange.Channel, out size)))
        {
            result = _blockwise.RefuseTooLarge(exchange, size);
            response = new CoapServerReply(exchange, result).ToMessage();
        }

        if (notification is not null)
        {
            exchange.IsAnswered = true;
            notification.Publish(response);
            return;
        }

        bool toGroup = exchange.Received is { IsMulticast: true };
        bool isChallenge = result.AsksForEcho || sent.AsksForEcho;
        bool carriesEcho = false;
        bool silent = IsSilent(exchange, result, response.Code);
        if (size > _shard.Guard.AlwaysFreeFor(exchange.Channel) && !silent && !exchange.Channel.IsReliable)
        {
            response = _limit.Apply(exchange, result, response, out isChallenge, out carriesEcho);
            silent = IsSilent(exchange, result, response.Code);
        }

        if (silent)
        {
            Counters.Add((exchange.Special & RequestOptionFlags.NoResponse) != 0
                ? CoapCounter.ResponsesNotWanted
                : CoapCounter.GroupAnswersKeptBack);
        }
        else if (isChallenge)
        {
            Counters.Add(CoapCounter.EchoChallenges);
            carriesEcho = true;
            _shard.Guard.Echo.AddTo(response, exchange.Channel, _shard.Environment.Now);
        }
        else if (result.BringsEcho && !toGroup && _limit.MayBringEcho(exchange, response))
        {
            carriesEcho = true;
            _shard.Guard.Echo.AddTo(response, exchange.Channel, _shard.Environment.Now);
        }

        if (observer is not null && (silent || !response.Code.IsSuccess))
        {
            // The client does not learn that it was registered.
            observer.Withdraw();
            observer = null;
        }

        if (response.Code == CoapCode.TooManyRequests && !silent && !exchange.Channel.IsReliable && !_limit.MayRefuse())
        {
            exchange.IsAnswered = true;
            Offer(new CoapOutbound { Channel = exchange.Channel, Kind = CoapOutboundAction.Forget, Received = exchange.Received });
            return;
        }

        CoapOutbound outbound = new()
        {
            Channel = exchange.Channel,
            Kind = silent ? CoapOutboundAction.Finish : CoapOutboundAction.Message,
            Message = silent ? null : response,
            Received = exchange.Received,
            Transmission = observer?.Answer(response),
            NeverConfirmable = carriesEcho,
        };
        exchange.IsAnswered = true;
        if (toGroup && !silent ? !TryAnswerAtLeisure(outbound, observer) : !Offer(outbound))
        {
            observer?.Withdraw();
        }
        else if (!silent && sent is PartialBodyResult { Following: not null })
        {
            _blockwise.Follow(exchange, sent, response);
        }
    }

    private bool TryAnswerAtLeisure(in CoapOutbound answer, Observer? observer)
    {
        TimeSpan wait = _groups.LeisureOf(answer.Message!, answer.Channel.Parameters) * _shard.Environment.Random.NextDouble();
        bool isKept;
        _shard.Enter();
        try
        {
            isKept = _delayed.TryAdd(answer, wait, observer);
        }
        finally
        {
            _shard.ExitAndSend();
        }

        if (!isKept)
        {
            FinishDropped(answer);
        }

        return isKept;
    }

    /// <summary>Gives up all delayed answers because the endpoint stops. The caller must hold no lock.</summary>
    /// <returns>The number of answers.</returns>
    internal int CloseDelayed()
    {
        _shard.Enter();
        try
        {
            return _delayed.Close();
        }
        finally
        {
            _shard.ExitAndSend();
        }
    }

    /// <summary>Gives up an answer that made room for one of another source. The caller must hold no lock.</summary>
    /// <param name="answer">The answer.</param>
    /// <param name="observer">The observer whose registration it answers; null for none.</param>
    internal void DropDelayed(CoapOutbound answer, Observer? observer)
    {
        FinishDropped(answer);
        observer?.Withdraw();
    }

    private void FinishDropped(in CoapOutbound answer)
    {
        Counters.Add(CoapCounter.GroupAnswersDropped);
        Emit(new CoapOutbound { Channel = answer.Channel, Kind = CoapOutboundAction.Finish, Received = answer.Received });
    }

    /// <summary>Sends an answer whose moment has come. The caller must hold no lock.</summary>
    /// <param name="answer">The answer.</param>
    /// <param name="observer">The observer whose registration it answers; null for none.</param>
    internal void SendDelayed(CoapOutbound answer, Observer? observer)
    {
        if (!Emit(answer))
        {
            observer?.Withdraw();
        }
    }

    /// <summary>Cuts an answer whose body alone would fit, but whose options leave too little room.</summary>
    private bool TryCutSmaller(CoapExchange exchange, CoapResult result, [NotNullWhen(true)] out CoapMessage? response)
    {
        response = _blockwise.CutSmaller(exchange, result) is { } block ? new CoapServerReply(exchange, block).ToMessage() : null;
        return response is not null;
    }

    /// <summary>
    /// Whether to suppress a response. Explicit wishes of the client precede the rules for groups (RFC 7967 section 2.1).
    /// </summary>
    private static bool IsSilent(CoapExchange exchange, CoapResult result, CoapCode code)
    {
        bool toGroup = exchange.Received is { IsMulticast: true };
        if (toGroup && result.AnswersGroup == false)
        {
            // The resource never answers group requests.
            return true;
        }

        return (exchange.Special & RequestOptionFlags.NoResponse) != 0 && exchange.Request.Options.NoResponse is { } notWanted
            ? NoResponseOption.Suppresses(notWanted, code)
            : toGroup && (GroupRequestRules.IsKeptBack(result) || (result.Code.IsSuccess && !code.IsSuccess));
    }
}
