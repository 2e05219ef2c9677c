using CoAP.NET.Exchanges;
using CoAP.NET.Options;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Blockwise;

/// <summary>
/// Stores the responses of a server for block-wise transfers, and determines the response if there is no room. Takes the lock of the shard.
/// </summary>
/// <param name="shard">The shard.</param>
/// <param name="answers">The stored responses.</param>
/// <param name="logger">Logs refusals.</param>
internal sealed class AnswerKeeper(CoapShard shard, AnswerStore answers, ILogger logger)
{
    /// <summary>Keeps an answer in memory for its later blocks.</summary>
    /// <param name="exchange">The request.</param>
    /// <param name="whole">Options of every block, the whole payload.</param>
    /// <param name="offset">The block that goes out now.</param>
    /// <returns>Null when its block may go out; otherwise what is answered instead.</returns>
    public CoapResult? Keep(CoapExchange exchange, CoapResult whole, long offset)
    {
        BodyKey key = KeyOf(exchange);
        BodyKey shared = key.ForEveryone(whole.Options.TryGetValue(OptionNumber.ETag, out ReadOnlySpan<byte> etag) ? etag : default);
        BodyShortage shortage;

        // Observers get the block in any case; they fetch the others with a request, which reports the error. If storing is switched off,
        // handlers run for each block.
        bool mayRefuse = exchange.Request.Code.IsSafe && answers.Budget.Max != 0 && !exchange.IsWithoutRequest;
        bool isPooled;
        CoapResult? refusal;
        shard.Enter();
        try
        {
            if (BodyLayer.HasEnded(exchange.Channel))
            {
                return null;
            }

            long now = shard.Environment.Now;
            shortage = answers.Keep(key, KeyWithoutPayload(exchange), exchange.Channel, shared, whole, offset, now);
            isPooled = shortage != BodyShortage.None && !exchange.Channel.IsConnection && !shard.Guard.IsTrusted(exchange.Channel, now);
            refusal = shortage == BodyShortage.None || !mayRefuse ? null
                : answers.Refusals.Refuse(key, exchange.Channel, whole.Payload.Length, answers.Budget, isPooled, now);
        }
        finally
        {
            shard.Exit();
        }

        if (refusal is not null)
        {
            answers.Refusals.Tell(logger, exchange, shortage, whole.Payload.Length, answers.Budget, isPooled);
        }
        else if (shortage != BodyShortage.None && !exchange.Request.Code.IsSafe)
        {
            answers.Refusals.TellNotKept(logger, exchange, shortage, whole.Payload.Length, answers.Budget);
        }

        return refusal;
    }

    /// <summary>
    /// Stores the source of the later blocks of a response, until the last one was read. Without room for that, the handler runs for them.
    /// </summary>
    /// <param name="exchange">The request.</param>
    /// <param name="source">The source of the blocks.</param>
    /// <param name="offset">The block that is sent now.</param>
    /// <param name="isLast">Whether it is the last one.</param>
    public void Keep(CoapExchange exchange, SeekableBody source, long offset, bool isLast)
    {
        if (exchange.IsWithoutRequest || source.IsKept != isLast)
        {
            return;
        }

        BodyKey key = KeyOf(exchange);
        shard.Enter();
        try
        {
            if (isLast)
            {
                answers.End(key, source);
            }
            else if (!BodyLayer.HasEnded(exchange.Channel))
            {
                answers.Keep(key, KeyWithoutPayload(exchange), exchange.Channel, source, offset, shard.Environment.Now);
            }
        }
        finally
        {
            shard.Exit();
        }
    }

    /// <summary>Under which key the answer to a request is kept.</summary>
    public static BodyKey KeyOf(CoapExchange exchange) => BodyKey.Of(
        exchange.Channel,
        exchange.Request.Message,
        HasPayloadInKey(exchange) ? exchange.Request.Payload.Span : default);

    private static BodyKey? KeyWithoutPayload(CoapExchange exchange) =>
        HasPayloadInKey(exchange) ? BodyKey.Of(exchange.Channel, exchange.Request.Message) : null;

    // The payload of a FETCH in one message is part of what is asked for; one that came in blocks is not there any more when later blocks
    // are asked for.
    private static bool HasPayloadInKey(CoapExchange exchange) =>
        exchange.Request.Code == CoapCode.Fetch && !exchange.Request.Payload.IsEmpty
        && exchange.Body is not ({ Block1: not null } or { Owner: not null });
}
