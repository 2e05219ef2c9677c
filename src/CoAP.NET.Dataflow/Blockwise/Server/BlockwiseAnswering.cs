using System.Globalization;
using CoAP.NET.Channels;
using CoAP.NET.Exchanges;
using CoAP.NET.Requests;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Blockwise.Server;

/// <summary>
/// Answers of a server that do not fit one message, or answer one block of a request (RFC 7959 sections 2.4 and 2.7): what goes out of
/// them, and what is kept for later blocks. Takes the lock of the shard.
/// </summary>
internal sealed class BlockwiseAnswering
{
    // A message with a diagnostic is not too large as well.
    private const int SmallestToExplain = 256;

    private readonly CoapShard _shard;
    private readonly ILogger _logger;

    public BlockwiseAnswering(CoapShard shard, RequestBodyStore requests, ServedBlockwiseResponses responses,
        Func<CoapShard, RequestBodyStore, BlockwiseAnswering, QBlockServer>? makeQBlock)
    {
        _shard = shard;
        _logger = shard.Environment.Logger;
        Responses = responses;
        QBlock = makeQBlock?.Invoke(shard, requests, this);
    }

    public ServedBlockwiseResponses Responses { get; }

    /// <summary>Q-Block1 and Q-Block2; null where they are not used.</summary>
    public QBlockServer? QBlock { get; }

    /// <summary>
    /// Whether an answer is anything but one message to a request of one. For most a few tests of fields; what is sent without a request at
    /// hand, such as a notification, is looked at in any case.
    /// </summary>
    public static bool Concerns(CoapExchange exchange, CoapResult result) =>
        (exchange.Special & RequestOptionFlags.AllBlocks) != 0 || exchange.Body is not null || exchange.IsWithoutRequest
        || result.Payload.Length > exchange.Channel.BlockSize || result is PartialBodyResult;

    /// <summary>Converts a response to its final form: the block that the request asks for, or the whole with its Block options.</summary>
    /// <returns>Null if the response belongs to a later block, or is no longer needed.</returns>
    public CoapResult? Cut(CoapExchange exchange, CoapResult result)
    {
        if (exchange.Body?.Transfer is StoredTransfer body && !OnReplied(body, result))
        {
            return null;
        }

        if (result is PartialBodyResult { IsBlock: true })
        {
            return result;
        }

        if (QBlock?.Uses(exchange, result) == true)
        {
            return QBlock.Cut(exchange, result);
        }

        // A notification answers no block, though its registration may have come in some.
        uint? observe = result.OptionsToRead?.Observe;
        BlockValue? block1 = exchange.IsWithoutRequest && observe is not null ? null : exchange.Body?.Block1;
        bool asks = (exchange.Special & RequestOptionFlags.Block2) != 0 || exchange.IsWithoutRequest;
        BlockValue? asked = asks ? exchange.Request.Message.OptionsToRead?.Block2 : null;
        PartialBodyResult? part = result as PartialBodyResult;
        long total = part?.Total ?? result.Payload.Length;
        if (!result.Code.IsSuccess)
        {
            return BlockResponses.Whole(BlockResponses.CutDiagnostic(exchange, result, exchange.Channel.BlockSize), block1, null);
        }

        long offset = asked?.ByteOffset ?? 0;
        if (total == 0 && (offset == 0 || result.Code != CoapCode.Content))
        {
            return BlockResponses.Whole(result, block1, null);
        }

        if (offset > 0 && offset >= total)
        {
            return BlockResponses.BeyondEnd(offset, total);
        }

        BlockPayloadSize fit = BlockResponses.Fit(exchange, asked, result);
        long room = asked is null && exchange.Channel.IsReliable ? BlockResponses.Room(exchange, result) : fit.Last;
        if (offset == 0 && total == result.Payload.Length && total <= room)
        {
            return BlockResponses.Whole(result, block1, asked is null ? null : new BlockValue(0, more: false, fit.SizeExponent));
        }

        if (!MayBeSentBlocks(exchange))
        {
            // Whether the whole of it fits after all is seen when it is a message.
            return total == result.Payload.Length ? result : RefuseTooLarge(exchange, total);
        }

        CoapResult whole = BlockResponses.Prepare(result);
        if (part is null && Store(exchange, whole, offset) is { } refusal)
        {
            return BlockResponses.Whole(refusal, block1, null);
        }

        CoapResult block = Cut(
            exchange, whole, offset, fit, (part?.Offset ?? 0, total, part is null ? total : part.Size), block1, observe);
        if (part is { Source: SeekableResponseBody source })
        {
            Store(exchange, source, offset, isLast: block.OptionsToRead?.Block2 is not { More: true });
        }

        return block;
    }

    /// <summary>Cuts an answer whose body alone would fit, but whose options leave less room than that needs.</summary>
    /// <returns>Null when it cannot be cut.</returns>
    public CoapResult? CutSmaller(CoapExchange exchange, CoapResult result) =>
        Concerns(exchange, result) || result.Payload.IsEmpty ? null : Cut(exchange, result);

    /// <summary>Keeps an answer in memory for its later blocks.</summary>
    /// <param name="exchange">The request.</param>
    /// <param name="whole">Options of every block, the whole payload.</param>
    /// <param name="offset">The block that goes out now.</param>
    /// <returns>Null when its block may go out; otherwise what is answered instead.</returns>
    public CoapResult? Store(CoapExchange exchange, CoapResult whole, long offset)
    {
        CoapChannel channel = exchange.Channel;
        TransferKey key = KeyOf(exchange);
        TransferKey shared = key.ForEveryone(whole.Options.TryGetValue(OptionNumber.ETag, out ReadOnlySpan<byte> etag) ? etag : default);
        int size = whole.Payload.Length;
        BudgetShortage shortage;

        // Observers get the block in any case; they fetch the others with a request, which reports the error. If storing is switched off,
        // handlers run for each block.
        bool mayRefuse = exchange.Request.Code.IsSafe && Responses.Budget.Max != 0 && !exchange.IsWithoutRequest;
        bool isPooled;
        CoapResult? refusal;
        _shard.Enter();
        try
        {
            if (TransferStore.HasEnded(channel))
            {
                return null;
            }

            long now = _shard.Environment.Now;
            shortage = Responses.Store(key, KeyWithoutPayload(exchange), channel, shared, whole, offset, now);
            isPooled = shortage != BudgetShortage.None && !channel.IsConnection && !_shard.Guard.IsTrusted(channel, now);
            refusal = shortage == BudgetShortage.None || !mayRefuse ? null : Responses.Refuse(key, channel, size, isPooled, now);
        }
        finally
        {
            _shard.ExitAndSend();
        }

        if (refusal is not null)
        {
            Responses.LogRefusal(exchange, shortage, size, isPooled);
        }
        else if (shortage != BudgetShortage.None && !exchange.Request.Code.IsSafe)
        {
            Responses.LogNotStored(exchange, shortage, size);
        }

        return refusal;
    }

    /// <summary>Sends what follows a block without being asked for. The block went out.</summary>
    public void Follow(CoapExchange exchange, CoapResult sent, CoapMessage response) => QBlock?.Follow(exchange, sent, response);

    /// <summary>The answer in place of one that fits no message.</summary>
    public CoapResult RefuseTooLarge(CoapExchange exchange, long size)
    {
        LogLevel level = exchange.Channel.IsReliable ? LogLevel.Debug : LogLevel.Error;
        using IDisposable? scope = MessageLogScope.BeginFor(_logger, level, exchange.Channel, exchange.Request.Message);
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
                $"The response of {size} bytes does not fit a message to you; the maximum is {exchange.Channel.MaxMessageSize} bytes."));
    }

    /// <summary>
    /// The later block of an answer that was kept; null when it is gone, or has yet to be read, which is noted in the exchange.
    /// </summary>
    public CoapResult? Find(CoapExchange exchange, BlockValue asked)
    {
        TransferKey key = KeyOf(exchange);
        ResponseTransfer? transfer;
        CoapResult? refusal;
        _shard.Enter();
        try
        {
            long now = _shard.Environment.Now;
            transfer = Responses.Find(key, asked.ByteOffset, asked.IsBert ? exchange.Channel.LargestPart(asked) : asked.Size, now);
            refusal = transfer is null ? Responses.FindRefusal(key, exchange.Channel, now) : null;
        }
        finally
        {
            _shard.ExitAndSend();
        }

        if (transfer?.Response is not { } response)
        {
            if (transfer is not null)
            {
                exchange.Body = new ReceivedRequestBodyState { Later = transfer.Seekable };
            }

            return refusal;
        }

        CoapResult whole = response.Result;
        int total = whole.Payload.Length;
        return asked.ByteOffset >= total
            ? BlockResponses.BeyondEnd(asked.ByteOffset, total)
            : Cut(exchange, whole, asked.ByteOffset, BlockResponses.Fit(exchange, asked, whole), (0, total, total), null, null);
    }

    /// <summary>Under which key the answer to a request is kept.</summary>
    public static TransferKey KeyOf(CoapExchange exchange) => TransferKey.Of(
        exchange.Channel,
        exchange.Request.Message,
        HasPayloadInKey(exchange) ? exchange.Request.Payload.Span : default);

    private static TransferKey? KeyWithoutPayload(CoapExchange exchange) =>
        HasPayloadInKey(exchange) ? TransferKey.Of(exchange.Channel, exchange.Request.Message) : null;

    // The payload of a FETCH in one message is part of what is asked for; one that came in blocks is not there any more when later blocks
    // are asked for.
    private static bool HasPayloadInKey(CoapExchange exchange) =>
        exchange.Request.Code == CoapCode.Fetch && !exchange.Request.Payload.IsEmpty
        && exchange.Body is not ({ Block1: not null } or { Transfer: not null });

    // Keeps the source of the later blocks of a response, until the last one was read. Without room for that, the handler runs for them.
    private void Store(CoapExchange exchange, SeekableResponseBody source, long offset, bool isLast)
    {
        if (exchange.IsWithoutRequest || source.IsStored != isLast)
        {
            return;
        }

        TransferKey key = KeyOf(exchange);
        _shard.Enter();
        try
        {
            if (isLast)
            {
                Responses.End(key, source);
            }
            else if (!TransferStore.HasEnded(exchange.Channel))
            {
                Responses.Store(key, KeyWithoutPayload(exchange), exchange.Channel, source, offset, _shard.Environment.Now);
            }
        }
        finally
        {
            _shard.ExitAndSend();
        }
    }

    // A peer that sent blocks, or requested some, supports them, whatever its CSM says.
    private static bool MayBeSentBlocks(CoapExchange exchange) =>
        PeerBlockFacts.TakesBlocks(exchange.Channel) || (exchange.Special & RequestOptionFlags.AllBlocks) != 0;

    private static CoapResult Cut(
        CoapExchange exchange, CoapResult whole, long offset, BlockPayloadSize fit, (long Start, long Total, long? Size) body,
            BlockValue? block1,
        uint? observe)
    {
        bool saysSize = offset == 0 || exchange.Request.Message.OptionsToRead?.Contains(OptionNumber.Size2) == true;
        return !fit.HasNumber(offset)
            ? CoapResults.BadRequest("The block number for this place of the body would have more than 20 bits.")
            : BlockResponses.Cut(whole, offset, fit, body.Start, body.Total, block1, observe, saysSize ? body.Size : null);
    }

    private bool OnReplied(StoredTransfer body, CoapResult result)
    {
        _shard.Enter();
        try
        {
            return body.OnReplied(result);
        }
        finally
        {
            _shard.ExitAndSend();
        }
    }
}
