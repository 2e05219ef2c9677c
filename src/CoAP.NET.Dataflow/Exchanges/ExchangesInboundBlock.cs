using System.Text;
using CoAP.NET.Blockwise.Server;
using CoAP.NET.Channels;
using CoAP.NET.Groups;
using CoAP.NET.Observing.Server;
using CoAP.NET.Requests;
using CoAP.NET.Resources;

namespace CoAP.NET.Exchanges;

/// <summary>
/// The inbound half of Exchanges (RFC 7252 section 5): requests go up to the Resource stage as <see cref="CoapExchange"/>; responses
/// complete client requests; outcomes of sent messages go to their owners.
/// </summary>
internal sealed class ExchangesInboundBlock : InlineBlock<CoapInbound, CoapExchange>
{
    private readonly CoapShard _shard;
    private readonly ExchangesOutboundBlock _outbound;
    private readonly EndpointState _state;
    private readonly ResponseMatching _responses;
    private readonly BlockwiseRequestReceiver _blockwise;
    private readonly ObserverTable _observers;
    private readonly ConnectionTable _connections;
    private readonly RequestRules _rules;

    internal ExchangesInboundBlock(
        CoapShard shard,
        ExchangeLayer layer,
        ExchangesOutboundBlock outbound,
        EndpointState state,
        GroupRequests groupRequests,
        BlockwiseRequestReceiver blockwise,
        ObserverTable observers,
        ConnectionTable connections,
        RequestRules rules,
        StatelessReceivers stateless)
        : base(shard.Environment.Counters, shard.Environment.Logger)
    {
        _shard = shard;
        _outbound = outbound;
        _state = state;
        _responses = new ResponseMatching(shard, layer, outbound, groupRequests, stateless, blockwise, observers);
        _blockwise = blockwise;
        _observers = observers;
        _connections = connections;
        _rules = rules;
    }

    internal override void Process(CoapInbound item)
    {
        switch (item.Kind)
        {
            case CoapInboundKind.Message when item.Message!.Code.IsRequest:
                OnRequest(in item, item.Message);
                break;
            case CoapInboundKind.Message when item.Message!.Code.IsResponse:
                _responses.OnResponse(in item, item.Message);
                break;
            case CoapInboundKind.FormatError when item.Received is not null:
                OnUnreadable(in item);
                break;
            case CoapInboundKind.Acknowledged or CoapInboundKind.Reset or CoapInboundKind.NotAcknowledged or CoapInboundKind.Unreachable
                or CoapInboundKind.NotSent or CoapInboundKind.SendFailed or CoapInboundKind.Sent:
                ResponseMatching.OnTransmission(in item);
                break;
            case CoapInboundKind.Connected:
                _connections.OnReady(item.Channel);
                _shard.Endpoint.OnReady(item.Channel);
                break;
            case CoapInboundKind.Disconnected:
                _responses.OnDisconnected(in item);
                break;
            default:
                Counters.Add(CoapCounter.Ignored);
                break;
        }
    }

    private protected override void OnDeclined(CoapExchange item)
    {
        // The linked blocks do not accept requests now; the protocol has an answer for that.
        Counters.Add(CoapCounter.Busy);
        Answer(item, ResourceInboundBlock.MakeBusy(_shard.Environment));
    }

    // A block of the application threw: the client and observers must not wait for an answer that may never come. If the block kept the
    // request, its answer is late.
    private protected override void OnLost(CoapExchange item) => Answer(item, new CoapResult(CoapCode.InternalServerError));

    private void OnRequest(in CoapInbound item, CoapMessage message)
    {
        Counters.Add(CoapCounter.RequestsReceived);
        CoapExchange exchange = CoapExchange.Begin(in item, message);
        exchange.Side = item.Channel.Connection?.Requests?.Begin() ?? 0;
        OptionVerdict verdict = _rules.CheckOptions(item.Channel, message);
        exchange.Special = verdict.Special;
        if (!verdict.IsAccepted)
        {
            Counters.Add(CoapCounter.BadOptions);
            item.Channel.NoteDrop(CoapCounter.BadOptions);
            exchange.Special = message.OptionsToRead!.NoResponse is null ? RequestOptionFlags.None : RequestOptionFlags.NoResponse;
            Answer(exchange, FormatErrorResponses.Diagnostic(verdict.ResponseCode, verdict.Describe(message.OptionsToRead.Registry)));
        }
        else if (item.IsMulticast && GroupRequestRules.IsIgnored(message, verdict.Special))
        {
            Counters.Add(CoapCounter.GroupAnswersKeptBack);
            _outbound.Settle(item.Received, CoapOutboundAction.Finish);
        }
        else if (exchange.IsLate && !_blockwise.Continues(exchange))
        {
            Counters.Add(CoapCounter.Busy);
            item.Channel.NoteDrop(CoapCounter.Busy);
            if (_state.AnswersWhileStopping || item.Channel.IsReliable)
            {
                Answer(exchange, ResourceInboundBlock.MakeBusy(_shard.Environment));
            }
            else
            {
                _outbound.Settle(item.Received, CoapOutboundAction.Forget);
            }
        }
        else
        {
            if ((exchange.Special & RequestOptionFlags.Echo) != 0
                && EchoVerification.Verify(_shard, exchange.Channel, exchange.Request.Options) is { } age)
            {
                exchange.Request.EchoAge = age;
            }

            if ((exchange.Special & RequestOptionFlags.Observe) != 0)
            {
                OnObserve(exchange);
            }

            BlockVerdict taken = (exchange.Special & RequestOptionFlags.AllBlocks) != 0 ? _blockwise.Receive(exchange) : default;
            if (taken.Kind == BlockVerdictKind.Deliver)
            {
                Offer(exchange);
            }
            else if (taken.Kind is BlockVerdictKind.Answer or BlockVerdictKind.Settle)
            {
                // Acknowledges a Confirmable message without an answer.
                AnswerWaiting(exchange, taken.Result);
            }
        }
    }

    // RFC 7641 section 4.1: 0 registers, 1 deregisters. Any other value is undefined, so it counts as absent.
    private void OnObserve(CoapExchange exchange)
    {
        uint value = exchange.Request.Message.OptionsToRead!.TryGetUInt(OptionNumber.Observe, out uint observe) ? observe : uint.MaxValue;
        if (value == ObserveOption.DeregisterValue)
        {
            _shard.Enter();
            try
            {
                _observers.Deregister(exchange.Channel, exchange.Request.Message);
            }
            finally
            {
                _shard.ExitAndSend();
            }
        }

        if (value != ObserveOption.RegisterValue)
        {
            exchange.Special &= ~RequestOptionFlags.Observe;
        }
    }

    private void OnUnreadable(in CoapInbound item)
    {
        CoapExchange exchange = CoapExchange.Begin(in item, item.Message ?? new CoapMessage(CoapCode.Get));
        Answer(exchange, FormatErrorResponses.Of(item.Error.Rule, _shard.Environment.Limits));
    }

    /// <summary>Answers a request that waited; null means no answer. The caller must hold no lock.</summary>
    internal void AnswerWaiting(CoapExchange exchange, CoapResult? result)
    {
        if (result is not null)
        {
            Answer(exchange, result);
        }
        else if (exchange.Channel.IsReliable)
        {
            // Nothing waits: another request took its place.
            if (exchange.TryClaimReply())
            {
                exchange.End();
            }
        }
        else if (exchange.Received is { } received && exchange.TryClaimReply())
        {
            _outbound.Settle(received, CoapOutboundAction.Finish);
        }
    }

    private void Answer(CoapExchange exchange, CoapResult result)
    {
        if (exchange.TryClaimReply())
        {
            _outbound.Run(new CoapServerReply(exchange, result));
        }
    }
}

/// <summary>Creates the answers to unreadable requests, and to those with an unknown critical option.</summary>
internal static class FormatErrorResponses
{
    public static CoapResult Of(CoapMessageFormatViolation rule, CoapLimits limits) => rule switch
    {
        CoapMessageFormatViolation.TokenTooLong =>
            Diagnostic(CoapCode.BadRequest, $"A token may have {limits.Messages.MaxTokenLength} bytes at most."),
        CoapMessageFormatViolation.MessageTooLarge =>
            Diagnostic(CoapCode.RequestEntityTooLarge, $"A message may have {limits.Messages.MaxDatagramSize} bytes at most.")
                .With(new Size1Option((uint)limits.Messages.MaxDatagramSize))
                    .With(new Block1Option(BlockThatFits(limits.Messages.MaxDatagramSize))),
        _ => Diagnostic(CoapCode.BadRequest, string.Empty),
    };

    public static CoapResult Diagnostic(CoapCode code, string text) => new(code, Encoding.UTF8.GetBytes(text));

    // Blocks are the alternative for a peer that sent too much in one datagram (RFC 7959 section 2.9.3). Besides the block, a request has
    // its header and options.
    private static BlockValue BlockThatFits(int maxDatagramSize) =>
        new(0, more: false, BlockValue.GetSizeExponent(Math.Max(16, maxDatagramSize / 2)));
}
