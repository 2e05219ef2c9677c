using System.Diagnostics.CodeAnalysis;
using CoAP.NET.Blockwise;
using CoAP.NET.Channels;
using CoAP.NET.Messaging;
using CoAP.NET.Options;
using CoAP.NET.Observing;
using CoAP.NET.Pipeline;
using CoAP.NET.Requests;
using CoAP.NET.Serialization;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Exchanges;

/// <summary>
/// The outbound half of Exchanges: the answers of the Resource stage become responses with the token of their request (RFC 7252 section 5.3.1);
/// requests of our clients enter here.
/// </summary>
public sealed partial class ExchangesOutbound : InlineBlock<CoapReply, CoapOutbound>
{
    private const string StoppedText = "The endpoint was stopped; requests cannot be sent any more. Make a new one.";

    private readonly CoapShard _shard;
    private readonly ExchangeLayer _layer;
    private readonly EndpointState _state;
    private readonly MessagingOutbound _messagingOut;
    private readonly BlockwiseAnswering _blockwise;
    private readonly ObserverLayer _observers;
    private readonly ICoapMessageSerializer _datagrams;
    private readonly ICoapMessageSerializer _streams;
    private readonly GroupSettings _groups;
    private readonly RateBound _refusals;
    private long _refusedUntil = long.MinValue;

    internal ExchangesOutbound(
        CoapShard shard,
        ExchangeLayer layer,
        MessagingOutbound messagingOut,
        EndpointState state,
        BlockwiseAnswering blockwise,
        ObserverLayer observers,
        ICoapMessageSerializer datagrams,
        ICoapMessageSerializer streams,
        GroupSettings groups)
        : base(shard.Environment.Counters, shard.Environment.Logger)
    {
        _shard = shard;
        _layer = layer;
        _state = state;
        _messagingOut = messagingOut;
        _observers = observers;
        _datagrams = datagrams;
        _streams = streams;
        _blockwise = blockwise;
        _refusals = new RateBound(shard.Environment.Limits.TooManyRequestsPerSecond, TimeSpan.FromSeconds(1));
        _groups = groups;
        Delayed = new DelayedReplies(shard, groups.MaxDelayedReplies, SendDelayed, DropDelayed);
    }

    /// <summary>Answers to requests to groups that wait for their moment.</summary>
    internal DelayedReplies Delayed { get; }

    /// <summary>Sends a request of ours. What goes wrong ends its task. No lock may be held.</summary>
    /// <param name="channel">The peer.</param>
    /// <param name="message">The message.</param>
    /// <param name="time">How long it may take.</param>
    /// <param name="run">The steps that see the response; the default when there are none, or when they wait for it.</param>
    /// <param name="cancellationToken">Stops waiting; no further copies are sent.</param>
    /// <returns>The request, whose task ends with the response.</returns>
    internal ClientRequest Begin(
        CoapChannel channel, CoapMessage message, RequestTime time, in RequestRun run, CancellationToken cancellationToken)
    {
        ClientRequest request = new(_layer, channel, message, time, in run);
        _layer.Register(request);
        if (IsTooLarge(message, channel, out long size))
        {
            Fail(request, TooLarge("request", channel, size, "Send less"));
        }
        else
        {
            Send(request, cancellationToken);
        }

        return request;
    }

    /// <summary>Sends an Empty Confirmable message and waits for its Reset. No lock may be held.</summary>
    internal Task<TimeSpan> PingAsync(CoapChannel channel, RequestTime time, bool passesQueue, CancellationToken cancellationToken)
    {
        PingRequest ping = new(_layer, channel, time, _shard.Environment.Now, passesQueue);
        _layer.Register(ping);
        Send(ping, cancellationToken);
        return ping.Completion.Task;
    }

    /// <summary>Sends a request for which nothing is kept once it is on its way; its token is there already. No lock may be held.</summary>
    internal void SendStateless(CoapChannel channel, CoapMessage message)
    {
        if (_state.IsStopped)
        {
            throw new CoapException(StoppedText);
        }

        if (IsTooLarge(message, channel, out long size))
        {
            throw new CoapTooLargeException(size, channel.MaxMessageSize, $"The request to {channel} takes {size} bytes with its state in the token, but a message to it has at most {channel.MaxMessageSize}. Send less, or keep less state in the token.");
        }

        Counters.Add(CoapCounter.RequestsSent);
        if (!Offer(new CoapOutbound { Channel = channel, Message = message, Transmission = new CoapTransmission(channel, message, null) { IsStateless = true } }))
        {
            throw new CoapException(DeclinedText(channel));
        }
    }

    /// <summary>Sends a request to a group. What goes wrong ends it. No lock may be held.</summary>
    internal void Send(GroupRequest request)
    {
        if (_state.IsStopped)
        {
            request.End(new CoapException(StoppedText));
        }
        else if (IsTooLarge(request.Message, request.Channel, out long size))
        {
            request.End(new CoapTooLargeException(size, request.Channel.MaxMessageSize, $"The request to {request.Channel} takes {size} bytes, but a message to it has at most {request.Channel.MaxMessageSize}, and a request to a group has only one. Send less."));
        }
        else
        {
            Counters.Add(CoapCounter.RequestsSent);
            if (!Offer(new CoapOutbound { Channel = request.Channel, Message = request.Message, Transmission = request.Transmission }))
            {
                request.End(new CoapException(DeclinedText(request.Channel)));
            }
        }
    }

    // After it was registered: whoever stops the endpoint either finds it there, or is seen here.
    private void Send(PendingRequest request, CancellationToken cancellationToken)
    {
        if (_state.IsStopped)
        {
            Fail(request, StoppedText);
            return;
        }

        if (request is ClientRequest)
        {
            Counters.Add(CoapCounter.RequestsSent);
        }

        request.CancelWith(cancellationToken);
        if (!request.IsCompleted && !Offer(new CoapOutbound { Channel = request.Channel, Message = request.Message, Transmission = request.Transmission }))
        {
            Fail(request, DeclinedText(request.Channel));
        }
    }

    private static string DeclinedText(CoapChannel channel) => $"The request to {channel} was declined by a block that was linked into the pipeline.";

    private void Fail(PendingRequest request, string message) => Fail(request, new CoapException(message));

    private void Fail(PendingRequest request, CoapException error)
    {
        if (_layer.TryTake(request))
        {
            request.Fail(error);
        }
    }

    private static CoapTooLargeException TooLarge(string what, CoapChannel channel, long size, string advice) => new(
        size,
        channel.MaxMessageSize,
        $"The {what} to {channel} takes {size} bytes, but a message to it has at most {channel.MaxMessageSize}. {advice}"
            + (channel.IsReliable ? "; the size is what the peer said of itself (RFC 8323 section 5.3.1)." : ", or raise MaxMessageSize for this peer if the path allows it."));

    private protected override void Process(CoapReply item)
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
#pragma warning disable CA1031 // whatever is wrong with an answer, who asked gets one
        catch (Exception exception) when (!exchange.IsAnswered)
#pragma warning restore CA1031
        {
            Failed(exception);
            ReplyWithError(exchange);
        }
        finally
        {
            exchange.End();
            BodyPart.CloseUnlessKept(item.Result);
        }
    }

    private void ReplyWithError(CoapExchange exchange)
    {
        exchange.IsAnswered = true;
        CoapMessage response = Compose(exchange, new CoapResult(CoapCode.InternalServerError));
        if (exchange.Observing is SubjectRun run)
        {
            _observers.Publish(run, response);
        }
        else
        {
            Offer(new CoapOutbound { Channel = exchange.Channel, Message = response, Reception = exchange.Reception });
        }
    }

    private protected override void OnDeclined(CoapOutbound item) => ReplyPast(item, CoapCode.ServiceUnavailable);

    private protected override void OnLost(CoapOutbound item) => ReplyPast(item, CoapCode.InternalServerError);

    // A block of a user did not pass on a reply: who asked gets another one, past that block. For requests of ours, who sent them tells the caller.
    private void ReplyPast(in CoapOutbound item, CoapCode code)
    {
        if (item is { Kind: CoapOutboundKind.Message, Message: { Code.IsResponse: true } message, Transmission: null })
        {
            _messagingOut.Run(new CoapOutbound { Channel = item.Channel, Message = new CoapMessage(code) { Token = message.Token }, Reception = item.Reception });
        }
    }

    private void Reply(in CoapReply item)
    {
        CoapExchange exchange = item.Exchange;
        if (_state.IsStopped)
        {
            Counters.Add(CoapCounter.LateResponses);
            return;
        }

        CoapResult result = item.Result;
        Observer? observer = null;
        if (exchange.Observing is not null && !TryObserve(exchange, ref result, out observer))
        {
            return;
        }

        CoapResult? sent = BlockwiseAnswering.Concerns(exchange, result) ? _blockwise.Cut(exchange, result) : result;
        if (sent is null)
        {
            Withdraw(observer);
            return;
        }

        CoapMessage? response = Compose(exchange, sent);
        if (IsTooLarge(response, exchange.Channel, out long size) && (!TryCutSmaller(exchange, result, out response) || IsTooLarge(response, exchange.Channel, out size)))
        {
            result = _blockwise.RefuseTooLarge(exchange, size);
            response = Compose(exchange, result);
        }

        if (exchange.Observing is SubjectRun run)
        {
            exchange.IsAnswered = true;
            _observers.Publish(run, response);
            return;
        }

        bool toGroup = exchange.Reception is { IsMulticast: true };
        bool isChallenge = result.AsksForEcho || sent.AsksForEcho;
        bool carriesEcho = false;
        bool silent = IsSilent(exchange, result, response.Code);
        if (size > _shard.Guard.AlwaysFreeFor(exchange.Channel) && !silent && !exchange.Channel.IsReliable)
        {
            response = Limit(exchange, result, response, out isChallenge, out carriesEcho);
            silent = IsSilent(exchange, result, response.Code);
        }

        if (silent)
        {
            Counters.Add((exchange.Special & SpecialOptions.NoResponse) != 0 ? CoapCounter.ResponsesNotWanted : CoapCounter.GroupAnswersKeptBack);
        }
        else if (isChallenge)
        {
            Counters.Add(CoapCounter.EchoChallenges);
            carriesEcho = true;
            _shard.Guard.Echo.AddTo(response, exchange.Channel, _shard.Environment.Now);
        }

        if (observer is not null && (silent || !response.Code.IsSuccess))
        {
            // Nobody learns that he was registered.
            Withdraw(observer);
            observer = null;
        }

        if (response.Code == CoapCode.TooManyRequests && !silent && !exchange.Channel.IsReliable && !MayRefuse())
        {
            exchange.IsAnswered = true;
            Offer(new CoapOutbound { Channel = exchange.Channel, Kind = CoapOutboundKind.Forget, Reception = exchange.Reception });
            return;
        }

        // What observers, answers at leisure and blocks that follow need is kept by them.
        response.IsLent = _shard.LendsMessages && observer is null && !toGroup && sent is not BodyPart;
        CoapOutbound outbound = new()
        {
            Channel = exchange.Channel,
            Kind = silent ? CoapOutboundKind.Finish : CoapOutboundKind.Message,
            Message = silent ? null : response,
            Reception = exchange.Reception,
            Transmission = observer is null ? null : _observers.Answer(observer, response),
            NeverConfirmable = carriesEcho,
        };
        exchange.IsAnswered = true;
        if (toGroup && !silent ? !TryAnswerAtLeisure(outbound) : !Offer(outbound))
        {
            Withdraw(observer);
        }
        else if (!silent && sent is BodyPart { Following: not null })
        {
            _blockwise.Follow(exchange, sent, response);
        }
    }

    private void Withdraw(Observer? observer)
    {
        if (observer is not null)
        {
            _observers.Withdraw(observer);
        }
    }

    private bool TryAnswerAtLeisure(in CoapOutbound answer)
    {
        TimeSpan leisure = _groups.LeisureOf(answer.Message!, answer.Channel.Parameters);
        if (Delayed.TryAdd(answer, leisure))
        {
            return true;
        }

        FinishDropped(answer);
        return false;
    }

    private void DropDelayed(CoapOutbound answer)
    {
        FinishDropped(answer);
        Withdraw(answer.Transmission?.Source as Observer);
    }

    private void FinishDropped(in CoapOutbound answer)
    {
        Counters.Add(CoapCounter.GroupAnswersDropped);
        Offer(new CoapOutbound { Channel = answer.Channel, Kind = CoapOutboundKind.Finish, Reception = answer.Reception });
    }

    private void SendDelayed(CoapOutbound answer)
    {
        if (!Offer(answer))
        {
            Withdraw(answer.Transmission?.Source as Observer);
        }
    }

    private bool IsTooLarge(CoapMessage message, CoapChannel channel, out long size)
    {
        int limit = channel.MaxMessageSize;
        size = message.SizeBound;
        if (size <= limit)
        {
            return false;
        }

        size = (channel.IsReliable ? _streams : _datagrams).GetSize(message);
        return size > limit;
    }

    /// <summary>Cuts an answer whose body alone would fit, but whose options leave less room than that needs.</summary>
    private bool TryCutSmaller(CoapExchange exchange, CoapResult result, [NotNullWhen(true)] out CoapMessage? response)
    {
        response = _blockwise.CutSmaller(exchange, result) is { } block ? Compose(exchange, block) : null;
        return response is not null;
    }

    private CoapMessage Compose(CoapExchange exchange, CoapResult result)
    {
        // A result may answer many requests, so its options are shared and not copied.
        CoapOptionCollection? options = result.HasOptions ? result.OptionsToRead : null;
        CoapMessage response = _shard.LendsMessages ? SpareMessage.Take(result.Code, options)
            : options is null ? new CoapMessage(result.Code) : new CoapMessage(result.Code, options);
        response.Token = exchange.Request.Message.Token;
        response.Payload = result.Payload;
        return response;
    }
}
