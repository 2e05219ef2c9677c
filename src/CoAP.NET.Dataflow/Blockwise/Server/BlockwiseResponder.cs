using System.Globalization;
using CoAP.NET.Channels;
using CoAP.NET.Exchanges;
using CoAP.NET.Requests;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Blockwise.Server;

/// <summary>
/// Sends the requested block of a response, and stores the response for later blocks (RFC 7959 sections 2.4 and 2.7). Takes the lock of
/// the shard.
/// </summary>
internal sealed class BlockwiseResponder
{
    // The smallest maximum message size with room for a diagnostic text.
    private const int MinSizeForDiagnostic = 256;

    private readonly CoapShard _shard;
    private readonly ILogger _logger;

    public BlockwiseResponder(CoapShard shard, RequestBodyStore requests, ServedBlockwiseResponses responses,
        Func<CoapShard, RequestBodyStore, BlockwiseResponder, QBlockServer>? makeQBlock)
    {
        _shard = shard;
        _logger = shard.Environment.Logger;
        Responses = responses;
        QBlock = makeQBlock?.Invoke(shard, requests, this);
    }

    public ServedBlockwiseResponses Responses { get; }

    /// <summary>Q-Block1 and Q-Block2; null if they are switched off.</summary>
    public QBlockServer? QBlock { get; }

    /// <summary>Whether a response needs block-wise processing. Notifications always do.</summary>
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

        // A notification has no Block1, although its registration may have arrived in blocks.
        uint? observe = result.OptionsToRead?.Observe;
        BlockValue? block1 = exchange.IsWithoutRequest && observe is not null ? null : exchange.Body?.Block1;
        bool asks = (exchange.Special & RequestOptionFlags.Block2) != 0 || exchange.IsWithoutRequest;
        BlockValue? asked = asks ? exchange.Request.Message.OptionsToRead?.Block2 : null;
        PartialBodyResult? part = result as PartialBodyResult;
        long total = part?.Total ?? result.Payload.Length;
        if (!result.Code.IsSuccess)
        {
            return BlockResponseCutter.WithBlockOptions(
                BlockResponseCutter.CutDiagnostic(exchange, result, exchange.Channel.BlockSize), block1, null);
        }

        long offset = asked?.ByteOffset ?? 0;
        if (total == 0 && (offset == 0 || result.Code != CoapCode.Content))
        {
            return BlockResponseCutter.WithBlockOptions(result, block1, null);
        }

        if (offset > 0 && offset >= total)
        {
            return BlockResponses.BeyondEnd(offset, total);
        }

        BlockPayloadSize fit = BlockResponseCutter.Fit(exchange, asked, result);
        long room = asked is null && exchange.Channel.IsReliable ? BlockResponseCutter.Room(exchange, result) : fit.Last;
        if (offset == 0 && total == result.Payload.Length && total <= room)
        {
            return BlockResponseCutter.WithBlockOptions(
                result, block1, asked is null ? null : new BlockValue(0, more: false, fit.SizeExponent));
        }

        if (!MayBeSentBlocks(exchange))
        {
            // The size is checked again when the message is serialized.
            return total == result.Payload.Length ? result : RefuseTooLarge(exchange, total);
        }

        CoapResult whole = BlockResponseCutter.Prepare(result);
        if (part is null && Store(exchange, whole, offset) is { } refusal)
        {
            return BlockResponseCutter.WithBlockOptions(refusal, block1, null);
        }

        CoapResult block = Cut(
            exchange, whole, offset, fit, (part?.Offset ?? 0, total, part is null ? total : part.Size), block1, observe);
        if (part is { Source: ServedResponseBody source })
        {
            Store(exchange, source, offset, isLast: block.OptionsToRead?.Block2 is not { More: true });
        }

        return block;
    }

    /// <summary>Returns a block of a response that does not fit one message because of its options.</summary>
    /// <returns>Null if the response cannot be cut.</returns>
    public CoapResult? CutSmaller(CoapExchange exchange, CoapResult result) =>
        Concerns(exchange, result) || result.Payload.IsEmpty ? null : Cut(exchange, result);

    /// <summary>Stores a response for its later blocks.</summary>
    /// <param name="exchange">The request.</param>
    /// <param name="whole">The options of every block, and the whole payload.</param>
    /// <param name="offset">The offset of the block that is sent now.</param>
    /// <returns>Null if the block may be sent; otherwise the error to send instead.</returns>
    public CoapResult? Store(CoapExchange exchange, CoapResult whole, long offset)
    {
        CoapChannel channel = exchange.Channel;
        TransferKey key = KeyOf(exchange);
        TransferKey shared = key.ForEveryone(whole.Options.TryGetValue(OptionNumber.ETag, out ReadOnlySpan<byte> etag) ? etag : default);
        int size = whole.Payload.Length;
        BudgetShortage shortage;

        // Observers always get the block. They request the later blocks, and these requests get the error. If storing is switched off,
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

    /// <summary>Sends the blocks that follow a sent block without further requests (Q-Block2).</summary>
    public void Follow(CoapExchange exchange, CoapResult sent, CoapMessage response) => QBlock?.Follow(exchange, sent, response);

    /// <summary>Returns the error in place of a response that does not fit one message.</summary>
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

        return exchange.Channel.MaxMessageSize < MinSizeForDiagnostic ? new CoapResult(CoapCode.InternalServerError)
            : CoapResults.Status(CoapCode.InternalServerError, string.Create(
                CultureInfo.InvariantCulture,
                $"The response of {size} bytes does not fit a message to you; the maximum is {exchange.Channel.MaxMessageSize} bytes."));
    }

    /// <summary>
    /// Returns a later block of a stored response; null if the response was discarded. Also null for a stream or file that the Resource
    /// stage must read; the exchange refers to it then.
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
            : Cut(exchange, whole, asked.ByteOffset, BlockResponseCutter.Fit(exchange, asked, whole), (0, total, total), null, null);
    }

    /// <summary>Returns the key of the stored response to a request.</summary>
    public static TransferKey KeyOf(CoapExchange exchange) => TransferKey.Of(
        exchange.Channel,
        exchange.Request.Message,
        HasPayloadInKey(exchange) ? exchange.Request.Payload.Span : default);

    private static TransferKey? KeyWithoutPayload(CoapExchange exchange) =>
        HasPayloadInKey(exchange) ? TransferKey.Of(exchange.Channel, exchange.Request.Message) : null;

    // The payload of a FETCH in one message is part of the key. A payload in blocks is not: requests for later blocks do not repeat it.
    private static bool HasPayloadInKey(CoapExchange exchange) =>
        exchange.Request.Code == CoapCode.Fetch && !exchange.Request.Payload.IsEmpty
        && exchange.Body is not ({ Block1: not null } or { Transfer: not null });

    // Stores the source of the later blocks until the last one was read. Without room for it, the handler runs for each block.
    private void Store(CoapExchange exchange, ServedResponseBody source, long offset, bool isLast)
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

    // A peer that sent or requested blocks supports them, whatever its CSM says.
    private static bool MayBeSentBlocks(CoapExchange exchange) =>
        PeerBlockwiseState.TakesBlocks(exchange.Channel) || (exchange.Special & RequestOptionFlags.AllBlocks) != 0;

    private static CoapResult Cut(
        CoapExchange exchange, CoapResult whole, long offset, BlockPayloadSize fit, (long Start, long Total, long? Size) body,
        BlockValue? block1, uint? observe)
    {
        bool hasSize = offset == 0 || exchange.Request.Message.OptionsToRead?.Contains(OptionNumber.Size2) == true;
        return !fit.HasNumber(offset)
            ? CoapResults.BadRequest("The block number at this offset of the body would have more than 20 bits.")
            : BlockResponseCutter.Cut(whole, offset, fit, body.Start, body.Total, block1, observe, hasSize ? body.Size : null);
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
