using System.IO.Pipelines;
using CoAP.NET.Blockwise;
using CoAP.NET.Channels;
using CoAP.NET.Options;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Exchanges;

// Requests with Block1 and Block2: RFC 7959 sections 2.3 to 2.8.
public sealed partial class ExchangesInbound
{
    private const SpecialOptions BlockOptions = SpecialOptions.Block1 | SpecialOptions.Block2;

    private readonly BodyLayer _bodies;
    private readonly IBodyPolicies _policies;

    /// <summary>Whether a request is the next step of what is under way, and so served while the endpoint stops.</summary>
    private bool ContinuesBody(CoapExchange exchange)
    {
        if ((exchange.Special & BlockOptions) == 0)
        {
            return false;
        }

        _shard.Enter();
        try
        {
            return _bodies.Continues(exchange);
        }
        finally
        {
            _shard.Exit();
        }
    }

    /// <summary>Deals with the Block options of a request.</summary>
    /// <returns>Whether it goes on to the Resource stage; otherwise it was answered, or will be.</returns>
    private bool TakeBlock(in CoapInbound item, CoapExchange exchange)
    {
        CoapMessage message = exchange.Request.Message;
        BlockValue? block1 = message.OptionsToRead!.Block1;
        BlockValue? block2 = message.OptionsToRead!.Block2;
        if (BlockAnswers.Check(block1, block2, message.Payload.Length, exchange.Channel.TakesBert) is { } wrong)
        {
            Refuse(exchange, wrong);
            return false;
        }

        if (block2 is { } asked && !exchange.Channel.IsReliable)
        {
            exchange.Channel.AskedBlockSize = (byte)(asked.SizeExponent + 1);
        }

        return block1 is { } block ? TakeBlock1(exchange, block)
            : block2 is not { Number: > 0 } later || TakeLaterBlock2(in item, exchange, later);
    }

    private bool TakeLaterBlock2(in CoapInbound item, CoapExchange exchange, BlockValue asked)
    {
        if (exchange.Request.IsMulticast)
        {
            // Only the first block may be asked of a group (RFC 7959 section 2.8).
            Counters.Add(CoapCounter.Ignored);
            Settle(in item, CoapOutboundKind.Finish);
            return false;
        }

        if (_outbound.FindBlock(exchange, asked) is { } block)
        {
            Answer(exchange, block);
            return false;
        }

        CoapRequest request = exchange.Request;
        if (!request.Code.IsSafe || (request.Code == CoapCode.Fetch && request.Payload.IsEmpty))
        {
            // It was carried out once, and what came of it is gone.
            Counters.Add(CoapCounter.BodiesIncomplete);
            Refuse(exchange, BlockAnswers.Incomplete("The answer is not here any more. Begin anew."));
            return false;
        }

        // Who asks for a later block wants its bytes, not to hear that an older representation is still valid.
        request.Options.Remove(OptionNumber.ETag);
        return true;
    }

    private bool TakeBlock1(CoapExchange exchange, BlockValue block)
    {
        if (_policies.FindBodyPolicy(exchange.Request, _shard.Environment) is not { } policy)
        {
            // The Resource stage says what is wrong; should a route come up meanwhile, no handler takes the part for the whole.
            exchange.Body = new ExchangeBody { IsIncomplete = block.More || block.Number > 0, Block1 = block };
            return true;
        }

        return Begins(exchange, block, policy) ? Admit(exchange, block, policy) : TakeAdmitted(exchange, block, policy, isAdmitted: false);
    }

    // Whether a block is the first one of a body that would be put together, and something is to be asked about it before.
    private bool Begins(CoapExchange exchange, BlockValue block, BodyPolicy policy)
    {
        if (!policy.HasGates || policy.Mode != BodyMode.Whole)
        {
            return false;
        }

        _shard.Enter();
        try
        {
            return _bodies.Begins(exchange, block);
        }
        finally
        {
            _shard.Exit();
        }
    }

    private bool Admit(CoapExchange exchange, BlockValue block, BodyPolicy policy)
    {
        ValueTask<CoapResult?> pending = _policies.AdmitAsync(exchange, _shard.Environment);
        if (!pending.IsCompletedSuccessfully)
        {
            _ = AdmitLaterAsync(pending, exchange, block, policy);
            return false;
        }

        if (pending.Result is { } refusal)
        {
            Refuse(exchange, refusal);
            return false;
        }

        return TakeAdmitted(exchange, block, policy, isAdmitted: true);
    }

    private async Task AdmitLaterAsync(ValueTask<CoapResult?> pending, CoapExchange exchange, BlockValue block, BodyPolicy policy)
    {
        if (await pending.ConfigureAwait(false) is { } refusal)
        {
            Refuse(exchange, refusal);
        }
        else if (TakeAdmitted(exchange, block, policy, isAdmitted: true))
        {
            Offer(exchange);
        }
    }

    private bool TakeAdmitted(CoapExchange exchange, BlockValue block, BodyPolicy policy, bool isAdmitted)
    {
        bool isQBlock = (exchange.Special & SpecialOptions.QBlock) != 0;
        BodyVerdict verdict;
        _shard.Enter();
        try
        {
            long now = _shard.Environment.Now;
            verdict = isQBlock ? _bodies.ReceiveQBlock(exchange, block, policy, isAdmitted, now) : _bodies.Receive(exchange, block, policy, isAdmitted, now);
        }
        finally
        {
            _shard.Exit();
        }

        switch (verdict.Kind)
        {
            case BodyVerdictKind.Answer:
                Refuse(exchange, verdict.Result!);
                return false;
            case BodyVerdictKind.Settle:
                Settle(exchange);
                return false;
            case BodyVerdictKind.Write:
                WriteBlock(exchange, block, verdict.Stream!);
                return false;
            default:
                return verdict.Kind == BodyVerdictKind.Deliver;
        }
    }

    // Nobody waits for an answer, but the message has to be acknowledged.
    private void Settle(CoapExchange exchange)
    {
        if (exchange.Reception is { } reception)
        {
            _outbound.Order(new CoapOutbound { Channel = exchange.Channel, Kind = CoapOutboundKind.Finish, Reception = reception });
        }
    }

    private void Refuse(CoapExchange exchange, CoapResult result)
    {
        if (result.Code.IsError)
        {
            using IDisposable? scope = MessageScope.BeginFor(Logger, LogLevel.Debug, exchange.Channel, exchange.Request.Message);
            Log.BlockRefused(Logger, exchange.Channel, exchange.Request.Message.OptionsToRead?.Block1?.ToString(), exchange.Request.Message.OptionsToRead?.Block2?.ToString(), result.Code);
        }

        Answer(exchange, result);
    }

    /// <summary>Hands a block to the handler that reads the body, which goes on within the call. No lock is held.</summary>
    private void WriteBlock(CoapExchange exchange, BlockValue block, StreamedBody stream)
    {
        ValueTask<FlushResult> flush = default;
        UserCode.Enter();
        try
        {
            flush = stream.Write(exchange.Request.Payload, isFinal: !block.More);
        }
#pragma warning disable CA1031 // the handler's continuation is user code
        catch (Exception exception)
#pragma warning restore CA1031
        {
            Counters.Add(CoapCounter.HandlerErrors);
            Log.StageFailed(Logger, exception);
        }
        finally
        {
            UserCode.Exit();
        }

        bool isAborted;
        _shard.Enter();
        try
        {
            isAborted = BodyLayer.OnWriteReturned(stream);
        }
        finally
        {
            _shard.Exit();
        }

        if (isAborted)
        {
            stream.CompleteWithAbortion();
        }

        if (block.Number == 0)
        {
            // The block is in the pipe, so a handler that reads at once finds it.
            Offer(new CoapExchange(exchange.Channel, null, new CoapRequest(stream.Head)
            {
                Confirmable = exchange.Request.Confirmable,
                Channel = exchange.Channel,
                EchoAge = exchange.Request.EchoAge,
                Body = new ExchangeBody { Owner = stream, Reader = stream.Reader },
            }));
        }

        _ = AwaitRoomAsync(stream, flush);
    }

    private async Task AwaitRoomAsync(StreamedBody stream, ValueTask<FlushResult> flush)
    {
        try
        {
            await flush.ConfigureAwait(false);
        }
#pragma warning disable CA1031 // the handler ended its reader with an exception of its own: it reads no more
        catch (Exception)
#pragma warning restore CA1031
        {
        }

        _shard.Enter();
        try
        {
            _bodies.OnWritten(stream);
        }
        finally
        {
            _shard.Exit();
        }
    }

    // What a peer may try that sent too much in one datagram: blocks (RFC 7959 section 2.9.3). Beside the block a request has its head and options.
    private static BlockValue BlockThatFits(int maxDatagramSize) => new(0, more: false, BlockValue.GetSizeExponent(Math.Max(16, maxDatagramSize / 2)));

    /// <summary>Answers a request that waited; with null it gets no answer. No lock may be held.</summary>
    internal void AnswerWaiting(CoapExchange exchange, CoapResult? result)
    {
        if (result is not null)
        {
            Answer(exchange, result);
        }
        else if (exchange.Channel.IsReliable)
        {
            // Nobody waits: another request took its place.
            if (exchange.TryClaimReply())
            {
                exchange.End();
            }
        }
        else if (exchange.Reception is { } reception && exchange.TryClaimReply())
        {
            _outbound.Order(new CoapOutbound { Channel = exchange.Channel, Kind = CoapOutboundKind.Finish, Reception = reception });
        }
    }
}
