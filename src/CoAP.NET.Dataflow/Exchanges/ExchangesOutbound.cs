using CoAP.NET.Channels;
using CoAP.NET.Observing;
using CoAP.NET.Pipeline;

namespace CoAP.NET.Exchanges;

/// <summary>
/// The outbound half of Exchanges: the answers of the Resource stage become responses with the token of their request (RFC 7252 section 5.3.1);
/// requests of our clients enter here.
/// </summary>
public sealed partial class ExchangesOutbound : InlineBlock<CoapReply, CoapOutbound>
{
    private readonly CoapShard _shard;
    private readonly ExchangeLayer _layer;
    private readonly EndpointState _state;
    private readonly Func<CoapMessage, long> _sizeOf;

    internal ExchangesOutbound(CoapShard shard, ExchangeLayer layer, EndpointState state, Func<CoapMessage, long> sizeOf)
        : base(shard.Environment.Counters, shard.Environment.Logger)
    {
        _shard = shard;
        _layer = layer;
        _state = state;
        _sizeOf = sizeOf;
        layer.Send = Order;
    }

    /// <summary>Sends an order to Messaging. No lock may be held.</summary>
    internal void Order(CoapOutbound order) => Offer(order);

    /// <summary>Sends a request of ours. What goes wrong ends the task. No lock may be held.</summary>
    internal Task<CoapResponse> SendAsync(CoapChannel channel, CoapMessage message, TimeSpan? timeout, CancellationToken cancellationToken)
    {
        ClientRequest request = new(_layer, channel, message, timeout);
        _layer.Register(request);
        if (IsTooLarge(message, channel, out long size))
        {
            Fail(request, $"The request to {channel} takes {size} bytes, but a message to it has at most {channel.Parameters.MaxMessageSize}. Send less, or raise MaxMessageSize for this peer if the path allows it.");
        }
        else
        {
            Send(request, cancellationToken);
        }

        return request.Completion.Task;
    }

    /// <summary>Sends an Empty Confirmable message and waits for its Reset. No lock may be held.</summary>
    internal Task<TimeSpan> PingAsync(CoapChannel channel, CancellationToken cancellationToken)
    {
        PingRequest ping = new(_layer, channel, _shard.Environment.Now);
        _layer.Register(ping);
        Send(ping, cancellationToken);
        return ping.Completion.Task;
    }

    // After it was registered: whoever stops the endpoint either finds it there, or is seen here.
    private void Send(PendingRequest request, CancellationToken cancellationToken)
    {
        if (_state.IsStopped)
        {
            Fail(request, "The endpoint was stopped; requests cannot be sent any more. Make a new one.");
            return;
        }

        if (request is ClientRequest)
        {
            Counters.Add(CoapCounter.RequestsSent);
        }

        request.CancelWith(cancellationToken);
        if (!request.IsCompleted && !Offer(new CoapOutbound { Channel = request.Channel, Message = request.Message, Transmission = request.Transmission }))
        {
            Fail(request, $"The request to {request.Target} was declined by a block that was linked into the pipeline.");
        }
    }

    private void Fail(PendingRequest request, string message)
    {
        if (_layer.TryTake(request))
        {
            request.Fail(new CoapException(message));
        }
    }

    private protected override void Process(CoapReply item)
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

        CoapMessage response = Compose(exchange, result);
        if (IsTooLarge(response, exchange.Channel, out long size))
        {
            Log.ResponseTooLarge(Logger, exchange.Request.Path, size, exchange.Channel.Parameters.MaxMessageSize);
            Counters.Add(CoapCounter.HandlerErrors);
            response = Compose(exchange, new CoapResult(CoapCode.InternalServerError));
        }

        if (exchange.Observing is SubjectRun run)
        {
            Observers!.Publish(run, response);
            return;
        }

        // RFC 7252 section 8.2: a group request that has no useful answer gets none.
        bool silent = exchange.Request.IsMulticast && !response.Code.IsSuccess;
        if (silent && observer is not null)
        {
            // Nobody learns that he was registered.
            Observers!.Withdraw(observer);
            observer = null;
        }

        bool isTaken = Offer(new CoapOutbound
        {
            Channel = exchange.Channel,
            Kind = silent ? CoapOutboundKind.Finish : CoapOutboundKind.Message,
            Message = silent ? null : response,
            Reception = exchange.Reception,
            Transmission = observer is null ? null : Observers!.Answer(observer, response),
        });
        if (!isTaken && observer is not null)
        {
            Observers!.Withdraw(observer);
        }
    }

    private bool IsTooLarge(CoapMessage message, CoapChannel channel, out long size)
    {
        int limit = channel.Parameters.MaxMessageSize;
        size = message.SizeBound;
        if (size <= limit)
        {
            return false;
        }

        size = _sizeOf(message);
        return size > limit;
    }

    private static CoapMessage Compose(CoapExchange exchange, CoapResult result)
    {
        // A result may answer many requests, so its options are shared and not copied.
        CoapMessage response = result.HasOptions ? new CoapMessage(result.Code, result.Options) : new CoapMessage(result.Code);
        response.Token = exchange.Request.Message.Token;
        response.Payload = result.Payload;
        return response;
    }
}
