using CoAP.NET.Blockwise;
using CoAP.NET.Blockwise.Server;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.QBlock.Server;

/// <summary>
/// Requests with Q-Block1 in the role of a server (RFC 9177 sections 4.3 and 7.2). A state machine: every method is called under
/// Shard.Gate.
/// </summary>
internal sealed class QBlock1RequestReceiver(CoapShard shard, RequestBodyStore bodies)
{
    // Below the smallest MTU that counts, with header, token and Content-Format (RFC 9177 section 5: the list fits one packet).
    private const int MissingListBytes = 512;

    private readonly CoapCounters _counters = shard.Environment.Counters;

    /// <summary>Processes a Q-Block1 block of a request body.</summary>
    /// <param name="exchange">The request; becomes the whole one when no block is missing.</param>
    /// <param name="block">Its Q-Block1.</param>
    /// <param name="policy">The policy of the route.</param>
    /// <param name="isAdmitted">Whether the gates of the route have already admitted it.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    public BlockVerdict Receive(CoapExchange exchange, BlockValue block, RequestBodyPolicy policy, bool isAdmitted, long now)
    {
        CoapMessage message = exchange.Request.Message;
        if (message.Options.Size1 is not { } size || !message.Options.Contains(OptionNumber.RequestTag))
        {
            return BlockVerdict.Answer(CoapResults.BadRequest("A request with Q-Block1 has Request-Tag and Size1 in every block."));
        }

        if (bodies.LargestOf(policy) is var max && (size > max || size > int.MaxValue))
        {
            return bodies.TooLarge(exchange, policy, max);
        }

        if (!BlockPayloadSize.IsPartOf(block, message.Payload.Length, size))
        {
            return BlockVerdict.Answer(CoapResults.BadRequest("Number, size and payload of the block do not fit the size of the body."));
        }

        TransferKey key = TransferKey.Of(exchange.Channel, message, ofQBlock: true);
        byte[] tag = QBlock1RequestBody.TagOf(message);
        bodies.TryGet(key, out StoredTransfer? entry);
        QBlock1RequestBody? body = (QBlock1RequestBody?)entry;
        if (body is null || !body.HasTag(tag))
        {
            if (body?.HadTag(tag) == true)
            {
                return new BlockVerdict(BlockVerdictKind.Settle);
            }

            // A new tag: the missing blocks of the body before will not come any more.
            QBlock1RequestBody fresh = new(this, key, exchange.Channel, message, block.SizeExponent, body)
            {
                Admitted = isAdmitted ? new FirstBlockEchoAge(exchange.Request.EchoAge, now) : null,
            };
            if (body is not null)
            {
                bodies.GiveUp(body, string.Empty);
            }

            bodies.Add(body = fresh, now);
            if (bodies.Charge(body, AssembledBody.Overhead + key.Size + body.Blocks.IndexSize, now) is { } full)
            {
                bodies.GiveUp(body, string.Empty);
                return BlockVerdict.Answer(full);
            }
        }
        else if (!body.Fits(message, block))
        {
            return BlockVerdict.Answer(
                CoapResults.BadRequest("The blocks of a body have one Size1, one block size and one Content-Format."));
        }

        return Take(exchange, block.Number, body, now);
    }

    /// <summary>Whether a block is the first one of a body.</summary>
    public bool Begins(CoapExchange exchange)
    {
        CoapMessage message = exchange.Request.Message;
        bodies.TryGet(TransferKey.Of(exchange.Channel, message, ofQBlock: true), out StoredTransfer? before);
        byte[] tag = QBlock1RequestBody.TagOf(message);
        return before is not QBlock1RequestBody body || (!body.HasTag(tag) && !body.HadTag(tag));
    }

    /// <summary>
    /// The gates of the route refused a body with its first block: blocks of it that come late get the same answer. Forgotten at once where
    /// there is no room.
    /// </summary>
    /// <param name="exchange">The request with the block.</param>
    /// <param name="block">Its Q-Block1.</param>
    /// <param name="refusal">The answer.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    public void Refuse(CoapExchange exchange, BlockValue block, CoapResult refusal, long now)
    {
        CoapMessage message = exchange.Request.Message;
        TransferKey key = TransferKey.Of(exchange.Channel, message, ofQBlock: true);
        bodies.TryGet(key, out StoredTransfer? entry);
        if (message.Options.Size1 is not <= int.MaxValue || !message.Options.Contains(OptionNumber.RequestTag)
            || refusal.Payload.Length > 1024 || entry is { IsWhole: false })
        {
            return;
        }

        QBlock1RequestBody body = new(this, key, exchange.Channel, message, block.SizeExponent, (QBlock1RequestBody?)entry);
        body.Refuse(refusal);
        if (entry is not null)
        {
            bodies.GiveUp(entry, string.Empty);
        }

        bodies.Add(body, now);
        long bytes = AssembledBody.Overhead + key.Size + refusal.Payload.Length;
        if (bodies.TryCharge(body, bytes, bytes) != BudgetShortage.None)
        {
            bodies.GiveUp(body, string.Empty);
        }
    }

    /// <summary>
    /// The handler has answered what came by Q-Block1: the answer is kept for blocks that come again, the memory of the body is not counted
    /// any more.
    /// </summary>
    public void OnReplied(QBlock1RequestBody body, CoapResult result)
    {
        if (body.Store is null)
        {
            return;
        }

        if (result.Payload.Length <= 1024)
        {
            body.Result = result;
        }

        long freed = body.Charge - AssembledBody.Overhead - body.Key.Size - 1024;
        if (freed > 0)
        {
            bodies.Discharge(body, freed, freed);
        }
    }

    /// <summary>The peer rejected a list of missing blocks: it does not know the body any more (RFC 9177 section 4.3).</summary>
    public void OnReset(QBlock1RequestBody body)
    {
        if (!body.IsWhole && body.Store is not null)
        {
            _counters.Add(CoapCounter.BodiesAbandoned);
            bodies.GiveUp(body, string.Empty);
        }
    }

    /// <summary>Missing blocks were waited for long enough. From the wheel.</summary>
    public void OnMissing(QBlock1RequestBody body, long now)
    {
        if (body.Asked >= body.Channel.Parameters.NonMaxRetransmit)
        {
            _counters.Add(CoapCounter.BodiesAbandoned);
            bodies.GiveUp(body, string.Empty);
            return;
        }

        body.Asked++;
        int max = body.Channel.Parameters.MaxPayloads;
        CollectedBlocks blocks = body.Blocks;
        int end = EndOfSet(blocks.Highest, max, blocks.Count);

        // All of them here: then the set after them never came.
        Ask(body, blocks.Prefix < end ? end : EndOfSet(end, max, blocks.Count));
        Await(body, now);
    }

    private static int EndOfSet(int number, int maxPayloads, int count) =>
        (int)Math.Min((((long)number / maxPayloads) + 1) * maxPayloads, count);

    private BlockVerdict Take(CoapExchange exchange, int number, QBlock1RequestBody body, long now)
    {
        CoapMessage message = exchange.Request.Message;
        CollectedBlocks blocks = body.Blocks;
        body.Token = message.Token;
        if (body.IsWhole)
        {
            // All of it came before. Only the answer may have been lost.
            return body.Result is { } result ? BlockVerdict.Answer(result) : new BlockVerdict(BlockVerdictKind.Settle);
        }

        bool isNew = !blocks.Has(number);
        if (isNew)
        {
            // Only what is new keeps a body alive.
            bodies.Touch(body, (long)(blocks.Count - blocks.Left) << (blocks.SizeExponent + 4), now);
            if (bodies.Charge(body, blocks.CapacityWith(number) - blocks.Capacity, now) is { } full)
            {
                bodies.GiveUp(body, string.Empty);
                return BlockVerdict.Answer(full);
            }

            blocks.Put(number, message.Payload.Span);
            body.Asked = 0;
        }

        if (body.IsWhole)
        {
            shard.Wheel.Cancel(body.Waiting);
            body.Complete(message);
            return bodies.Deliver(exchange, body, block1: null, body.Admitted, now);
        }

        // Each Confirmable block is acknowledged and sent again by itself: nothing is confirmed or asked for (RFC 9177 sections 4.3 and 5).
        return exchange.Request.Confirmable ? new BlockVerdict(BlockVerdictKind.Settle) : Confirm(exchange, number, body, isNew, now);
    }

    // Says that a set is here, or what is missing of those before.
    private BlockVerdict Confirm(CoapExchange exchange, int number, QBlock1RequestBody body, bool isNew, long now)
    {
        int max = exchange.Channel.Parameters.MaxPayloads;
        Await(body, now);
        int set = number / max;
        CollectedBlocks blocks = body.Blocks;
        if (blocks.Prefix % max == 0 && blocks.Prefix == blocks.Highest + 1 && (isNew || number == blocks.Highest))
        {
            body.AskedBefore = blocks.Prefix;
            return BlockVerdict.Answer(QBlockResponseFactory.Continue(blocks.Prefix - 1, blocks.SizeExponent));
        }

        if (body.AskedBefore < set * max)
        {
            // A later set begins, so what is missing of those before is lost.
            body.AskedBefore = set * max;
            if (blocks.Prefix < body.AskedBefore)
            {
                body.Asked = 1;
                Ask(body, body.AskedBefore);
                Await(body, now);
            }
        }

        return new BlockVerdict(BlockVerdictKind.Settle);
    }

    private void Ask(QBlock1RequestBody body, int end)
    {
        List<int> numbers = [];
        int bytes = 0;
        foreach (int number in body.Blocks.Missing(end))
        {
            bytes += number < 24 ? 1 : number < 256 ? 2 : number < 65536 ? 3 : 5;
            if (bytes > MissingListBytes)
            {
                break;
            }

            numbers.Add(number);
        }

        _counters.Add(CoapCounter.BlocksAskedAgain, numbers.Count);
        CoapMessage list = QBlockResponseFactory.Missing(body.Token, numbers);
        shard.Send(new CoapTransmission(body.Channel, list, body) { IsPaced = true, IsLimited = true });
    }

    // NON_RECEIVE_TIMEOUT, doubled after each unsuccessful request.
    private void Await(QBlock1RequestBody body, long now) =>
        shard.Wheel.Schedule(body.Waiting, now + (body.Channel.Parameters.NonReceiveTimeout.Ticks << body.Asked));
}
