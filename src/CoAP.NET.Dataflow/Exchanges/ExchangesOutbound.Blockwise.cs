using System.Diagnostics.CodeAnalysis;
using CoAP.NET.Blockwise;
using CoAP.NET.Observing;
using CoAP.NET.Options;

namespace CoAP.NET.Exchanges;

// Bodies that do not fit one message: RFC 7959 sections 2.4 and 2.7.
public sealed partial class ExchangesOutbound
{
    private const SpecialOptions BlockOptions = SpecialOptions.Block1 | SpecialOptions.Block2 | SpecialOptions.QBlock;

    private readonly BodyLayer _bodies;

    // For most answers a few tests of fields. What is sent without a request at hand, such as a notification, is looked at in any case.
    private static bool ConcernsBodies(CoapExchange exchange, CoapResult result) =>
        (exchange.Special & BlockOptions) != 0 || exchange.Body is not null || IsWithoutRequest(exchange)
        || result.Payload.Length > exchange.Channel.BlockSize || result is BodyPart;

    // On reliable transports no request has a reception.
    private static bool IsWithoutRequest(CoapExchange exchange) => exchange.Reception is null && (!exchange.Channel.IsReliable || exchange.Observing is SubjectRun);

    // Who sent blocks, or asked for some, knows them, whatever its CSM said.
    private static bool MayBeSentBlocks(CoapExchange exchange) => exchange.Channel.TakesBlocks || (exchange.Special & BlockOptions) != 0;

    /// <summary>Makes of an answer what goes out: the block that the request asks for, or the whole with the Block options that belong to it.</summary>
    /// <returns>Null when the answer belongs to a later block, or nobody waits for it.</returns>
    private CoapResult? CutBody(CoapExchange exchange, CoapResult result)
    {
        switch (exchange.Body?.Owner)
        {
            case StreamedBody stream:
                WithBodies(static (bodies, stream, result) => bodies.OnResult(stream, result), stream, result);
                return null;
            case BodyAssembly assembly:
                WithBodies(static (bodies, assembly, result) => bodies.OnReplied(assembly, result), assembly, result);
                break;
            case QBlockBody body:
                WithBodies(static (bodies, body, result) => bodies.OnReplied(body, result), body, result);
                break;
            default:
                break;
        }

        if (result is BodyPart { IsBlock: true })
        {
            return result;
        }

        if (UsesQBlock(exchange, result))
        {
            return CutQBlocks(exchange, result);
        }

        // A notification answers no block, though its registration may have come in some.
        uint? observe = result.OptionsToRead?.Observe;
        BlockValue? block1 = IsWithoutRequest(exchange) && observe is not null ? null : exchange.Body?.Block1;
        BlockValue? asked = (exchange.Special & SpecialOptions.Block2) == 0 && !IsWithoutRequest(exchange) ? null : exchange.Request.Message.OptionsToRead?.Block2;
        BodyPart? part = result as BodyPart;
        long total = part?.Total ?? result.Payload.Length;
        if (!result.Code.IsSuccess)
        {
            return BlockCutter.Whole(BlockCutter.CutDiagnostic(exchange, result, exchange.Channel.BlockSize), block1, null);
        }

        long offset = asked?.ByteOffset ?? 0;
        if (total == 0 && (offset == 0 || result.Code != CoapCode.Content))
        {
            return BlockCutter.Whole(result, block1, null);
        }

        if (offset > 0 && offset >= total)
        {
            return BlockAnswers.BeyondEnd(offset, total);
        }

        BlockFit fit = BlockCutter.Fit(exchange, asked, result);
        if (offset == 0 && total == result.Payload.Length && total <= (asked is null && exchange.Channel.IsReliable ? BlockCutter.Room(exchange, result) : fit.Last))
        {
            return BlockCutter.Whole(result, block1, asked is null ? null : new BlockValue(0, more: false, fit.SizeExponent));
        }

        if (!MayBeSentBlocks(exchange))
        {
            // Whether the whole of it fits after all is seen when it is a message.
            return total == result.Payload.Length ? result : RefuseTooLarge(exchange, total);
        }

        CoapResult whole = BlockCutter.Prepare(result);
        if (part is null && Keep(exchange, whole, offset) is { } refusal)
        {
            return BlockCutter.Whole(refusal, block1, null);
        }

        CoapResult block = Cut(exchange, whole, offset, fit, part?.Offset ?? 0, total, block1, observe);
        if (part is { Source: SeekableBody source })
        {
            Keep(exchange, source, offset, isLast: block.OptionsToRead?.Block2 is not { More: true });
        }

        return block;
    }

    /// <summary>Cuts an answer whose body alone would fit, but whose options leave less room than that needs.</summary>
    private bool TryCutSmaller(CoapExchange exchange, CoapResult result, [NotNullWhen(true)] out CoapMessage? response)
    {
        response = ConcernsBodies(exchange, result) || result.Payload.IsEmpty || CutBody(exchange, result) is not { } block ? null : Compose(exchange, block);
        return response is not null;
    }

    /// <summary>The later block of an answer that was kept; null when it is gone, or has yet to be read, which is noted in the exchange.</summary>
    internal CoapResult? FindBlock(CoapExchange exchange, BlockValue asked)
    {
        BodyKey key = KeyOf(exchange);
        BodyTransfer? transfer;
        CoapResult? refusal;
        _shard.Enter();
        try
        {
            long now = _shard.Environment.Now;
            transfer = _bodies.Answers.Find(key, asked.ByteOffset, asked.IsBert ? exchange.Channel.LargestPart(asked) : asked.Size, now);
            refusal = transfer is null ? _bodies.Answers.Refusals.Find(key, exchange.Channel, now) : null;
        }
        finally
        {
            _shard.Exit();
        }

        if (transfer?.Body is not { } body)
        {
            if (transfer is not null)
            {
                exchange.Body = new ExchangeBody { Later = transfer.Seekable };
            }

            return refusal;
        }

        CoapResult whole = body.Result;
        int total = whole.Payload.Length;
        return asked.ByteOffset >= total
            ? BlockAnswers.BeyondEnd(asked.ByteOffset, total)
            : Cut(exchange, whole, asked.ByteOffset, BlockCutter.Fit(exchange, asked, whole), 0, total, null, null);
    }

    private static CoapResult Cut(CoapExchange exchange, CoapResult whole, long offset, BlockFit fit, long start, long total, BlockValue? block1, uint? observe)
    {
        bool saysSize = offset == 0 || exchange.Request.Message.OptionsToRead?.Contains(OptionNumber.Size2) == true;
        return !fit.HasNumber(offset)
            ? BlockAnswers.Bad("The block number for this place of the body would have more than 20 bits.")
            : BlockCutter.Cut(whole, offset, fit, start, total, block1, observe, saysSize);
    }

    /// <summary>Keeps an answer in memory for its later blocks.</summary>
    /// <returns>Null when its block may go out; otherwise what is answered instead.</returns>
    private CoapResult? Keep(CoapExchange exchange, CoapResult whole, long offset)
    {
        BodyKey key = KeyOf(exchange);
        BodyKey shared = key.ForEveryone(whole.Options.TryGetValue(OptionNumber.ETag, out ReadOnlySpan<byte> etag) ? etag : default);
        AnswerStore answers = _bodies.Answers;
        BodyShortage shortage;

        // For observers the block goes out in any case; they ask for the others by a request, which says what is wrong. Where nothing is to be kept, handlers run for each block.
        bool mayRefuse = exchange.Request.Code.IsSafe && answers.Budget.Max != 0 && !IsWithoutRequest(exchange);
        bool isPooled;
        CoapResult? refusal;
        _shard.Enter();
        try
        {
            if (BodyLayer.HasEnded(exchange.Channel))
            {
                return null;
            }

            long now = _shard.Environment.Now;
            shortage = answers.Keep(key, KeyWithoutPayload(exchange), exchange.Channel, shared, whole, offset, now);
            isPooled = shortage != BodyShortage.None && !exchange.Channel.IsConnection && !_shard.Guard.IsTrusted(exchange.Channel, now);
            refusal = shortage == BodyShortage.None || !mayRefuse ? null
                : answers.Refusals.Refuse(key, exchange.Channel, whole.Payload.Length, answers.Budget, isPooled, now);
        }
        finally
        {
            _shard.Exit();
        }

        if (refusal is not null)
        {
            answers.Refusals.Tell(Logger, exchange, shortage, whole.Payload.Length, answers.Budget, isPooled);
        }
        else if (shortage != BodyShortage.None && !exchange.Request.Code.IsSafe)
        {
            answers.Refusals.TellNotKept(Logger, exchange, shortage, whole.Payload.Length, answers.Budget);
        }

        return refusal;
    }

    /// <summary>Keeps where the later blocks of an answer are read, until the last one was. Without room for that the handler runs for them.</summary>
    private void Keep(CoapExchange exchange, SeekableBody source, long offset, bool isLast)
    {
        if (IsWithoutRequest(exchange) || source.IsKept != isLast)
        {
            return;
        }

        BodyKey key = KeyOf(exchange);
        _shard.Enter();
        try
        {
            if (isLast)
            {
                _bodies.Answers.End(key, source);
            }
            else if (!BodyLayer.HasEnded(exchange.Channel))
            {
                _bodies.Answers.Keep(key, KeyWithoutPayload(exchange), exchange.Channel, source, offset, _shard.Environment.Now);
            }
        }
        finally
        {
            _shard.Exit();
        }
    }

    private static BodyKey? KeyWithoutPayload(CoapExchange exchange) => HasPayloadInKey(exchange) ? BodyKey.Of(exchange.Channel, exchange.Request.Message) : null;

    /// <summary>Tells handlers that read bodies that nothing follows, because the endpoint stops. No lock may be held.</summary>
    internal void StopBodies()
    {
        _shard.Enter();
        try
        {
            _bodies.Stop();
        }
        finally
        {
            _shard.Exit();
        }
    }

    // The payload of a FETCH in one message is part of what is asked for; one that came in blocks is not there any more when later blocks are asked for.
    private static BodyKey KeyOf(CoapExchange exchange) => BodyKey.Of(
        exchange.Channel,
        exchange.Request.Message,
        HasPayloadInKey(exchange) ? exchange.Request.Payload.Span : default);

    private static bool HasPayloadInKey(CoapExchange exchange) =>
        exchange.Request.Code == CoapCode.Fetch && !exchange.Request.Payload.IsEmpty && exchange.Body is not ({ Block1: not null } or { Owner: QBlockBody });

    private void WithBodies<TItem>(Action<BodyLayer, TItem, CoapResult> action, TItem item, CoapResult result)
    {
        _shard.Enter();
        try
        {
            action(_bodies, item, result);
        }
        finally
        {
            _shard.Exit();
        }
    }
}
