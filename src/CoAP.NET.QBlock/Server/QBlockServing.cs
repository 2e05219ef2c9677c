using CoAP.NET.Blockwise;
using CoAP.NET.Blockwise.Server;
using CoAP.NET.Exchanges;
using CoAP.NET.Options;
using CoAP.NET.Requests;

namespace CoAP.NET.QBlock.Server;

/// <summary>Q-Block1 and Q-Block2 in the role of a server (RFC 9177).</summary>
internal sealed class QBlockServing : QBlockServer
{
    private readonly CoapShard _shard;
    private readonly BlockwiseResponder _responder;
    private readonly QBlock1RequestReceiver _uploads;
    private readonly QBlock2ResponseSender _sender;

    public QBlockServing(CoapShard shard, RequestBodyStore requests, BlockwiseResponder responder)
    {
        _shard = shard;
        _responder = responder;
        _uploads = new QBlock1RequestReceiver(shard, requests);
        _sender = new QBlock2ResponseSender(shard, responder.Responses);
    }

    // A body that is read one block at a time uses Block2, and so do notifications.
    public override bool Uses(CoapExchange exchange, CoapResult result) =>
        (exchange.Special & RequestOptionFlags.QBlock) != 0 && exchange.Received is not null
        && result.Code.IsSuccess && !result.Payload.IsEmpty
            && (result is not PartialBodyResult part || part.Total == result.Payload.Length);

    public override BlockValue? Read(CoapExchange exchange, out BlockVerdict? verdict)
    {
        CoapMessage message = exchange.Request.Message;
        if ((exchange.Special & (RequestOptionFlags.Block1 | RequestOptionFlags.Block2)) != 0)
        {
            verdict = BlockVerdict.Answer(QBlockResponseFactory.BadOption("Block and Q-Block options cannot be combined."));
            return null;
        }

        RequestedQBlock2Blocks? wish = RequestedQBlock2Blocks.Read(message.OptionsToRead!, out CoapResult? wrong);
        if (wrong is not null)
        {
            verdict = BlockVerdict.Answer(wrong);
            return null;
        }

        BlockValue? block = QBlockResponseFactory.QBlock1Of(message);
        verdict = block is not null || wish!.IsWhole ? default(BlockVerdict) : Find(exchange, wish);
        return block;
    }

    public override bool Begins(CoapExchange exchange) => _uploads.Begins(exchange);

    public override void Refuse(CoapExchange exchange, BlockValue block, CoapResult refusal, long now) =>
        _uploads.Refuse(exchange, block, refusal, now);

    public override BlockVerdict Receive(CoapExchange exchange, BlockValue block, RequestBodyPolicy policy, bool isAdmitted, long now) =>
        _uploads.Receive(exchange, block, policy, isAdmitted, now);

    public override CoapResult Cut(CoapExchange exchange, CoapResult result)
    {
        RequestedQBlock2Blocks? wish = exchange.Request.Message.HasOptions
            ? RequestedQBlock2Blocks.Read(exchange.Request.Message.OptionsToRead!, out _) : null;
        BlockValue? asked = wish is null ? null : new BlockValue(0, more: false, wish.SizeExponent);
        int exponent = BlockResponseCutter.Fit(exchange, asked, result).SizeExponent;
        int count = BlockPayloadSize.CountOf(result.Payload.Length, exponent);
        if (wish is null && count == 1)
        {
            return result;
        }

        CoapResult whole = BlockResponseCutter.Prepare(result);
        whole.OwnOptions.Remove(OptionNumber.QBlock2);
        if (count > 1 && _responder.Store(exchange, whole, 0) is { } refusal)
        {
            return refusal;
        }

        uint? observe = result.OptionsToRead?.Observe;
        return Cut(exchange, whole, wish, exponent, count, observe, null);
    }

    // The blocks of an answer that was kept; null when it is gone.
    private BlockVerdict? Find(CoapExchange exchange, RequestedQBlock2Blocks wish)
    {
        TransferKey key = BlockwiseResponder.KeyOf(exchange);
        int max = exchange.Channel.Parameters.MaxPayloads;
        long now = _shard.Environment.Now;
        CoapResult? whole;
        bool isSending = false;
        _shard.Enter();
        try
        {
            whole = _responder.Responses.Find(key, (long)wish.First << (wish.SizeExponent + 4), 16 << wish.SizeExponent, now)
                ?.Response?.Result;
            if (whole is not null && wish.IsContinue(max))
            {
                if (_sender.TryContinue(key, wish.First, now))
                {
                    return new BlockVerdict(BlockVerdictKind.Settle);
                }

                isSending = _responder.Responses.FindTransfer(key)?.Sending is not null;
            }
        }
        finally
        {
            _shard.ExitAndSend();
        }

        if (whole is null)
        {
            return null;
        }

        int exponent = BlockResponseCutter.Fit(exchange, new BlockValue(0, more: false, wish.SizeExponent), whole).SizeExponent;
        int count = BlockPayloadSize.CountOf(whole.Payload.Length, exponent);
        return BlockVerdict.Answer(wish.First >= count
            ? BlockResponses.BeyondEnd((long)wish.First << (exponent + 4), whole.Payload.Length)
            : Cut(exchange, whole, wish, exponent, count, null, isSending));
    }

    public override void Follow(CoapExchange exchange, CoapResult sent, CoapMessage response)
    {
        if (sent is not PartialBodyResult { Following: QBlock2ResponseTransmission following }
            || !response.HasOptions || !response.OptionsToRead!.Contains(OptionNumber.QBlock2))
        {
            return;
        }

        TransferKey key = BlockwiseResponder.KeyOf(exchange);
        _shard.Enter();
        try
        {
            _sender.Follow(following, key, _shard.Environment.Now);
        }
        finally
        {
            _shard.ExitAndSend();
        }
    }

    private PartialBodyResult Cut(
        CoapExchange exchange, CoapResult whole, RequestedQBlock2Blocks? wish, int exponent, int count, uint? observe, bool? isSending)
    {
        int max = exchange.Channel.Parameters.MaxPayloads;
        int first = wish?.First ?? 0;

        // All blocks from a number on: at the beginning, or if a set is confirmed and the rest is not being sent yet. Otherwise the
        // requested ones.
        bool isRun = wish is null || wish.IsWhole || (wish.IsContinue(max) && isSending != true);
        int[]? numbers = isRun ? null : wish!.Numbers(count, max);
        if (first >= count || numbers is { Length: 0 })
        {
            // The representation became shorter: its first block shows that (RFC 9177 section 4.4).
            first = 0;
            numbers = [0];
        }

        int next = numbers is null ? first + 1 : 1;
        QBlock2ResponseTransmission? following = next >= (numbers?.Length ?? count) ? null : new QBlock2ResponseTransmission(_sender)
        {
            Channel = exchange.Channel,
            Token = exchange.Request.Message.Token,
            Whole = whole,
            SizeExponent = exponent,
            Observe = observe,
            Confirmable = exchange.Request.Confirmable,
            Numbers = numbers,
            Upcoming = next,
        };
        return QBlockResponseFactory.Cut(whole, first, exponent, observe, following);
    }
}
