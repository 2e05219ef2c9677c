using CoAP.NET.Blockwise;
using CoAP.NET.Options;

namespace CoAP.NET.Exchanges;

// Bodies that go by Q-Block2: RFC 9177 section 4.4.
public sealed partial class ExchangesOutbound
{
    /// <summary>Whether an answer goes by Q-Block2: the request says that its sender knows it. What is read at the place of one block only goes by Block2, and so do notifications.</summary>
    private static bool UsesQBlock(CoapExchange exchange, CoapResult result) =>
        (exchange.Special & SpecialOptions.QBlock) != 0 && exchange.Reception is not null && result.Code.IsSuccess && !result.Payload.IsEmpty
        && (result is not BodyPart part || part.Total == result.Payload.Length);

    /// <summary>Makes of an answer its first block that is asked for, with the others to follow.</summary>
    private CoapResult CutQBlocks(CoapExchange exchange, CoapResult result)
    {
        QBlockWish? wish = exchange.Request.Message.HasOptions ? QBlockWish.Read(exchange.Request.Message.OptionsToRead!, out _) : null;
        BlockValue? asked = wish is null ? null : new BlockValue(0, more: false, wish.SizeExponent);
        int exponent = BlockCutter.Fit(exchange, asked, result).SizeExponent;
        int count = (result.Payload.Length + (16 << exponent) - 1) >> (exponent + 4);
        if (wish is null && count == 1)
        {
            return result;
        }

        CoapResult whole = BlockCutter.Prepare(result);
        whole.Options.Remove(OptionNumber.QBlock2);
        if (count > 1 && Keep(exchange, whole, 0) is { } refusal)
        {
            return refusal;
        }

        uint? observe = result.OptionsToRead?.Observe;
        return Cut(exchange, whole, wish, exponent, count, observe, null);
    }

    /// <summary>The blocks of an answer that was kept.</summary>
    /// <returns>Null when it is gone.</returns>
    internal BodyVerdict? FindQBlocks(CoapExchange exchange, QBlockWish wish)
    {
        BodyKey key = KeyOf(exchange);
        int max = exchange.Channel.Parameters.MaxPayloads;
        long now = _shard.Environment.Now;
        CoapResult? whole;
        bool isSending = false;
        _shard.Enter();
        try
        {
            whole = _bodies.Answers.Find(key, (long)wish.First << (wish.SizeExponent + 4), 16 << wish.SizeExponent, now)?.Body?.Result;
            if (whole is not null && wish.IsContinue(max))
            {
                if (_bodies.TryContinue(key, wish.First, now))
                {
                    return new BodyVerdict(BodyVerdictKind.Settle);
                }

                isSending = _bodies.Answers.FindTransfer(key)?.Sending is not null;
            }
        }
        finally
        {
            _shard.Exit();
        }

        if (whole is null)
        {
            return null;
        }

        int exponent = BlockCutter.Fit(exchange, new BlockValue(0, more: false, wish.SizeExponent), whole).SizeExponent;
        int count = (whole.Payload.Length + (16 << exponent) - 1) >> (exponent + 4);
        return BodyVerdict.Answer(wish.First >= count
            ? BlockAnswers.BeyondEnd((long)wish.First << (exponent + 4), whole.Payload.Length)
            : Cut(exchange, whole, wish, exponent, count, null, isSending));
    }

    private BodyPart Cut(CoapExchange exchange, CoapResult whole, QBlockWish? wish, int exponent, int count, uint? observe, bool? isSending)
    {
        int max = exchange.Channel.Parameters.MaxPayloads;
        int first = wish?.First ?? 0;

        // All from a place on: at the beginning, or when a set is confirmed and nobody sends the rest yet. Otherwise those that are asked for.
        bool isRun = wish is null || wish.IsWhole || (wish.IsContinue(max) && isSending != true);
        int[]? numbers = isRun ? null : wish!.Numbers(count, max);
        if (first >= count || numbers is { Length: 0 })
        {
            // The representation became shorter: its first block tells so (RFC 9177 section 4.4).
            first = 0;
            numbers = [0];
        }

        int next = numbers is null ? first + 1 : 1;
        QBlockSending? following = next >= (numbers?.Length ?? count) ? null : new QBlockSending(_bodies)
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
        return QBlockAnswers.Cut(whole, first, exponent, observe, following);
    }

    /// <summary>Sends what follows the first block, which went out. No lock may be held.</summary>
    private void Follow(CoapExchange exchange, CoapResult sent, CoapMessage response)
    {
        if (sent is not BodyPart { Following: QBlockSending following } || !response.HasOptions || !response.OptionsToRead!.Contains(OptionNumber.QBlock2))
        {
            return;
        }

        BodyKey key = KeyOf(exchange);
        _shard.Enter();
        try
        {
            _bodies.Follow(following, key, _shard.Environment.Now);
        }
        finally
        {
            _shard.Exit();
        }
    }
}
