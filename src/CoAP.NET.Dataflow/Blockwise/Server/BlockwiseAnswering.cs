using System.Globalization;
using CoAP.NET.Exchanges;
using CoAP.NET.Options;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Blockwise;

/// <summary>
/// Answers of a server that do not fit one message, or answer one block of a request (RFC 7959 sections 2.4 and 2.7): what goes out of
/// them. Takes the lock of the shard.
/// </summary>
internal sealed class BlockwiseAnswering
{
    // A message with a diagnostic is not too large as well.
    private const int SmallestToExplain = 256;

    private const SpecialOptions BlockOptions = SpecialOptions.Block1 | SpecialOptions.Block2 | SpecialOptions.QBlock;

    private readonly CoapShard _shard;
    private readonly BodyLayer _bodies;
    private readonly AnswerKeeper _keeper;
    private readonly QBlockServer? _qblock;
    private readonly ILogger _logger;

    public BlockwiseAnswering(CoapShard shard, BodyLayer bodies, AnswerKeeper keeper, QBlockServer? qblock)
    {
        _shard = shard;
        _bodies = bodies;
        _keeper = keeper;
        _qblock = qblock;
        _logger = shard.Environment.Logger;
    }

    /// <summary>
    /// Whether an answer is anything but one message to a request of one. For most a few tests of fields; what is sent without a request at
    /// hand, such as a notification, is looked at in any case.
    /// </summary>
    public static bool Concerns(CoapExchange exchange, CoapResult result) =>
        (exchange.Special & BlockOptions) != 0 || exchange.Body is not null || exchange.IsWithoutRequest
        || result.Payload.Length > exchange.Channel.BlockSize || result is BodyPart;

    /// <summary>Converts a response to its final form: the block that the request asks for, or the whole with its Block options.</summary>
    /// <returns>Null if the response belongs to a later block, or is no longer needed.</returns>
    public CoapResult? Cut(CoapExchange exchange, CoapResult result)
    {
        if (exchange.Body?.Owner is { } owner && !OnReplied(owner, result))
        {
            return null;
        }

        if (result is BodyPart { IsBlock: true })
        {
            return result;
        }

        if (_qblock?.Uses(exchange, result) == true)
        {
            return _qblock.Cut(exchange, result);
        }

        // A notification answers no block, though its registration may have come in some.
        uint? observe = result.OptionsToRead?.Observe;
        BlockValue? block1 = exchange.IsWithoutRequest && observe is not null ? null : exchange.Body?.Block1;
        bool asks = (exchange.Special & SpecialOptions.Block2) != 0 || exchange.IsWithoutRequest;
        BlockValue? asked = asks ? exchange.Request.Message.OptionsToRead?.Block2 : null;
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
        long room = asked is null && exchange.Channel.IsReliable ? BlockCutter.Room(exchange, result) : fit.Last;
        if (offset == 0 && total == result.Payload.Length && total <= room)
        {
            return BlockCutter.Whole(result, block1, asked is null ? null : new BlockValue(0, more: false, fit.SizeExponent));
        }

        if (!MayBeSentBlocks(exchange))
        {
            // Whether the whole of it fits after all is seen when it is a message.
            return total == result.Payload.Length ? result : RefuseTooLarge(exchange, total);
        }

        CoapResult whole = BlockCutter.Prepare(result);
        if (part is null && _keeper.Keep(exchange, whole, offset) is { } refusal)
        {
            return BlockCutter.Whole(refusal, block1, null);
        }

        CoapResult block = Cut(
            exchange, whole, offset, fit, (part?.Offset ?? 0, total, part is null ? total : part.Size), block1, observe);
        if (part is { Source: SeekableBody source })
        {
            _keeper.Keep(exchange, source, offset, isLast: block.OptionsToRead?.Block2 is not { More: true });
        }

        return block;
    }

    /// <summary>Cuts an answer whose body alone would fit, but whose options leave less room than that needs.</summary>
    /// <returns>Null when it cannot be cut.</returns>
    public CoapResult? CutSmaller(CoapExchange exchange, CoapResult result) =>
        Concerns(exchange, result) || result.Payload.IsEmpty ? null : Cut(exchange, result);

    /// <summary>Keeps the whole of an answer of which less goes out than its block.</summary>
    public void Keep(CoapExchange exchange, CoapResult whole) => _keeper.Keep(exchange, whole, 0);

    /// <summary>Sends what follows a block without being asked for. The block went out.</summary>
    public void Follow(CoapExchange exchange, CoapResult sent, CoapMessage response) => _qblock?.Follow(exchange, sent, response);

    /// <summary>The answer in place of one that fits no message.</summary>
    public CoapResult RefuseTooLarge(CoapExchange exchange, long size)
    {
        LogLevel level = exchange.Channel.IsReliable ? LogLevel.Debug : LogLevel.Error;
        using IDisposable? scope = MessageScope.BeginFor(_logger, level, exchange.Channel, exchange.Request.Message);
        if (exchange.Channel.IsReliable)
        {
            // A peer with small limits and without support for blocks must not fill our log.
            BlockwiseLog.PeerTakesLess(_logger, exchange.Channel, size, exchange.Channel.MaxMessageSize);
            _shard.Environment.Counters.Add(CoapCounter.ResponsesTooLarge);
        }
        else
        {
            BlockwiseLog.ResponseTooLarge(_logger, exchange.Request.Path, size, exchange.Channel.MaxMessageSize);
            _shard.Environment.Counters.Add(CoapCounter.HandlerErrors);
        }

        return exchange.Channel.MaxMessageSize < SmallestToExplain ? new CoapResult(CoapCode.InternalServerError)
            : CoapResults.Status(CoapCode.InternalServerError, string.Create(
                CultureInfo.InvariantCulture,
                $"The response of {size} bytes fits no message to you; the maximum is {exchange.Channel.MaxMessageSize} bytes."));
    }

    /// <summary>
    /// The later block of an answer that was kept; null when it is gone, or has yet to be read, which is noted in the exchange.
    /// </summary>
    public CoapResult? Find(CoapExchange exchange, BlockValue asked)
    {
        BodyKey key = AnswerKeeper.KeyOf(exchange);
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
            : Cut(exchange, whole, asked.ByteOffset, BlockCutter.Fit(exchange, asked, whole), (0, total, total), null, null);
    }

    /// <summary>Tells handlers that read bodies that nothing follows, because the endpoint stops.</summary>
    public void Stop()
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

    // A peer that sent blocks, or requested some, supports them, whatever its CSM says.
    private static bool MayBeSentBlocks(CoapExchange exchange) => exchange.Channel.TakesBlocks || (exchange.Special & BlockOptions) != 0;

    private static CoapResult Cut(
        CoapExchange exchange, CoapResult whole, long offset, BlockFit fit, (long Start, long Total, long? Size) body, BlockValue? block1,
        uint? observe)
    {
        bool saysSize = offset == 0 || exchange.Request.Message.OptionsToRead?.Contains(OptionNumber.Size2) == true;
        return !fit.HasNumber(offset)
            ? BlockAnswers.Bad("The block number for this place of the body would have more than 20 bits.")
            : BlockCutter.Cut(whole, offset, fit, body.Start, body.Total, block1, observe, saysSize ? body.Size : null);
    }

    // Reports the response to the body of the request. False if the response is sent with a later block of that body.
    private bool OnReplied(BodyEntry owner, CoapResult result)
    {
        _shard.Enter();
        try
        {
            switch (owner)
            {
                case StreamedBody stream:
                    _bodies.Uploads.Streamed.OnResult(stream, result);
                    return false;
                case BodyAssembly assembly:
                    _bodies.Uploads.OnReplied(assembly, result);
                    return true;
                default:
                    _qblock?.OnReplied(owner, result);
                    return true;
            }
        }
        finally
        {
            _shard.Exit();
        }
    }
}
