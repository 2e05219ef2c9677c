using CoAP.NET.Blockwise;
using CoAP.NET.Channels;
using CoAP.NET.Options;

namespace CoAP.NET.Exchanges;

// What becomes of a response that may not go out as it is: nobody wants it (RFC 7967), or it is larger than an unverified address may get (RFC 9175 section 2.4).
public sealed partial class ExchangesOutbound
{
    // With header, token, ETag, Content-Format, Block2 and Echo it stays within the 136 bytes that are free.
    private const int SmallBlock = 64;

    /// <summary>Whether a response is left out. What a client says of its own wishes goes before what holds for groups (RFC 7967 section 2.1).</summary>
    private static bool IsSilent(CoapExchange exchange, CoapResult result, CoapCode code)
    {
        bool toGroup = exchange.Reception is { IsMulticast: true };
        if (toGroup && result.AnswersGroup == false)
        {
            // The resource does not answer groups at all.
            return true;
        }

        return (exchange.Special & SpecialOptions.NoResponse) != 0 && exchange.Request.Options.NoResponse is { } notWanted
            ? NoResponse.Suppresses(notWanted, code)
            : toGroup && (GroupRules.IsKeptBack(result) || (result.Code.IsSuccess && !code.IsSuccess));
    }

    /// <summary>Whether another 4.29 may be sent: refusing must not become work of its own (RFC 8516 section 3).</summary>
    private bool MayRefuse()
    {
        lock (_shard.Gate)
        {
            return _refusals.TryDraw(_refusedUntil, 1, _shard.Environment.Now, out _refusedUntil);
        }
    }

    /// <summary>Fits a response to what the address of the peer may get.</summary>
    /// <param name="exchange">The exchange.</param>
    /// <param name="result">The whole answer.</param>
    /// <param name="response">The response, larger than what is always free.</param>
    /// <param name="isChallenge">Whether what comes out asks for an Echo instead of answering.</param>
    private CoapMessage Limit(CoapExchange exchange, CoapResult result, CoapMessage response, out bool isChallenge)
    {
        isChallenge = false;
        CoapChannel channel = exchange.Channel;
        AddressGuard guard = _shard.Guard;
        long now = _shard.Environment.Now;
        int size = (int)_sizeOf(response);
        int requestLength = exchange.Reception?.Length ?? 0;
        if (size <= guard.FreeFor(requestLength) || guard.IsTrusted(channel, now))
        {
            return response;
        }

        // A client that knows Echo is verified by its next request; others take no notice of the option.
        int echo = exchange.Request.IsMulticast || size + EchoMint.OptionSize > channel.Parameters.MaxMessageSize ? 0 : EchoMint.OptionSize;
        if (guard.MaySend(channel, size + echo, now))
        {
            if (echo > 0)
            {
                guard.Echo.AddTo(response, channel.Remote, now);
            }

            return response;
        }

        int free = guard.FreeFor(requestLength);
        if (Shorten(exchange, result, response) is { } shorter)
        {
            guard.Echo.AddTo(shorter, channel.Remote, now);
            if (_sizeOf(shorter) > free)
            {
                shorter.Options.Remove(OptionNumber.Echo);
            }

            if (_sizeOf(shorter) <= free)
            {
                return shorter;
            }
        }

        if (!exchange.Request.Code.IsSafe && response.Code.IsSuccess)
        {
            // It was carried out, and nothing else may be said of it: the client would do it again.
            return new CoapMessage(response.Code) { Token = response.Token };
        }

        isChallenge = true;
        return new CoapMessage(CoapCode.Unauthorized) { Token = response.Token };
    }

    /// <summary>A smaller response that says the same as far as it goes: the first bytes of a body as a block, or an error without its explanation.</summary>
    private CoapMessage? Shorten(CoapExchange exchange, CoapResult result, CoapMessage response)
    {
        if (response.Code.IsError)
        {
            response.Payload = default;
            response.Options.Remove(OptionNumber.ContentFormat);
            return response;
        }

        BlockValue? asked = exchange.Request.Message.OptionsToRead?.Block2;
        BlockValue? part = response.OptionsToRead?.Block2;
        int size = asked is { } wanted ? Math.Min(SmallBlock, wanted.Size) : SmallBlock;
        if (response.HasOptions && QBlockAnswers.QBlock2Of(response) is { } block)
        {
            if (block.Number > 0)
            {
                return null;
            }

            // Too large for its burst: one small block, the rest by Block2.
            response.Options.Remove(OptionNumber.QBlock2);
            response.Options.Remove(OptionNumber.Size2);
        }

        if (response.Payload.Length > size && response.Code.IsSuccess)
        {
            if (part is null)
            {
                // With a tag by which the client sees that later blocks are of the same body (RFC 7959 section 2.4). What was carried out is kept: it is not to be done again for them.
                CoapResult whole = BlockCutter.Prepare(result);
                if (!exchange.Request.Code.IsSafe)
                {
                    Keep(exchange, whole, 0);
                }

                response.Options.Remove(OptionNumber.ETag);
                response.Options.Add(OptionNumber.ETag, whole.Options.TryGetValue(OptionNumber.ETag, out ReadOnlySpan<byte> tag) ? tag : default);
            }

            // A block that was cut before is cut once more: it begins at the same byte.
            response.Options.Block2 = BlockValue.FromOffset(part?.ByteOffset ?? 0, more: true, BlockValue.GetSizeExponent(size));
            response.Payload = response.Payload[..size];
            return response;
        }

        if (!exchange.Request.Code.IsSafe && !response.Payload.IsEmpty)
        {
            // What was done is said, what it gave is not.
            response.Payload = default;
            response.Options.Remove(OptionNumber.ContentFormat);
            response.Options.Remove(OptionNumber.ETag);
            return response;
        }

        return null;
    }
}
