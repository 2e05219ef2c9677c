using CoAP.NET.Blockwise.Server;
using CoAP.NET.Formats;

namespace CoAP.NET.Exchanges;

/// <summary>
/// Reduces responses that are larger than an unverified address may get (RFC 9175 section 2.4), and limits the number of refusals (RFC 8516
/// section 3).
/// </summary>
internal sealed class UnverifiedResponseLimiter
{
    // With header, token, ETag, Content-Format, Block2 and Echo it stays within the free 136 bytes.
    private const int SmallBlock = 64;

    private readonly CoapShard _shard;
    private readonly BlockwiseResponder _blockwise;
    private readonly MessageFormats _formats;
    private readonly RateLimit _refusals;

    // Guarded by Shard.Gate.
    private long _refusedUntil = long.MinValue;

    public UnverifiedResponseLimiter(CoapShard shard, BlockwiseResponder blockwise, MessageFormats formats)
    {
        _shard = shard;
        _blockwise = blockwise;
        _formats = formats;
        _refusals = RateLimit.Within(shard.Environment.Limits.Requests.TooManyRequestsPerSecond, TimeSpan.FromSeconds(1));
    }

    /// <summary>Whether the endpoint may send another 4.29: refusing must not become a load of its own (RFC 8516 section 3).</summary>
    public bool MayRefuse()
    {
        lock (_shard.Gate)
        {
            return _refusals.TryDraw(_refusedUntil, 1, _shard.Environment.Now, out _refusedUntil);
        }
    }

    /// <summary>Fits a response to the budget of the peer's address.</summary>
    /// <param name="exchange">The exchange.</param>
    /// <param name="result">The whole answer.</param>
    /// <param name="response">The response, larger than the free size.</param>
    /// <param name="isChallenge">Whether the result asks for an Echo instead of answering.</param>
    /// <param name="carriesEcho">Whether the result carries an Echo, so it must not become Confirmable (RFC 9175 section 2.4).</param>
    public CoapMessage Apply(CoapExchange exchange, CoapResult result, CoapMessage response, out bool isChallenge, out bool carriesEcho)
    {
        isChallenge = carriesEcho = false;
        CoapChannel channel = exchange.Channel;
        AmplificationLimiter guard = _shard.Guard;
        long now = _shard.Environment.Now;
        int size = _formats.DatagramSizeOf(response);
        int requestLength = exchange.Received?.Length ?? 0;
        if (size <= guard.FreeFor(channel, requestLength) || guard.IsTrusted(channel, now))
        {
            return response;
        }

        if (channel.IsConnection && exchange.Received?.State == ReceivedMessageState.Acknowledged)
        {
            // The endpoint immediately verifies the address of a moved session. A separate response is Confirmable: it leaves after that,
            // so nothing must be cut from it.
            return response;
        }

        // A client that supports Echo is verified by its next request; others ignore the option. A separate response is Confirmable and has
        // none.
        bool mayEcho = !exchange.Request.IsMulticast && exchange.Received?.State != ReceivedMessageState.Acknowledged;
        int echo = mayEcho && size + guard.Echo.OptionSize <= channel.MaxMessageSize ? guard.Echo.OptionSize : 0;
        if (guard.MaySend(channel, size + echo, now))
        {
            carriesEcho = echo > 0;
            if (carriesEcho)
            {
                guard.Echo.AddTo(response, channel, now);
            }

            return response;
        }

        int free = guard.FreeFor(channel, requestLength);

        // Requests for later blocks execute nothing.
        bool isLater = response.OptionsToRead?.Block2 is { Number: > 0 };
        if (Shorten(exchange, result, response) is { } shorter)
        {
            carriesEcho = mayEcho && _formats.DatagramSizeOf(shorter) + guard.Echo.OptionSize <= free;
            if (carriesEcho)
            {
                guard.Echo.AddTo(shorter, channel, now);
            }

            while (_formats.DatagramSizeOf(shorter) > free && TryHalve(shorter))
            {
            }

            if (_formats.DatagramSizeOf(shorter) <= free)
            {
                return shorter;
            }
        }

        carriesEcho = false;
        if (!exchange.Request.Code.IsSafe && response.Code.IsSuccess && !isLater)
        {
            // The request was executed, and the answer must say so: otherwise the client would repeat it.
            return new CoapMessage(response.Code) { Token = response.Token };
        }

        isChallenge = true;
        return new CoapMessage(CoapCode.Unauthorized) { Token = response.Token };
    }

    /// <summary>
    /// Whether a response may carry an Echo for the next request. The response must then not be Confirmable, as a separate one is (RFC 9175
    /// section 2.4), and not exceed the budget of its peer.
    /// </summary>
    public bool MayBringEcho(CoapExchange exchange, CoapMessage response)
    {
        CoapChannel channel = exchange.Channel;
        int size = channel.IsReliable ? 0 : _formats.DatagramSizeOf(response) + _shard.Guard.Echo.OptionSize;
        return exchange.Received?.State != ReceivedMessageState.Acknowledged && size <= channel.MaxMessageSize
            && (size <= _shard.Guard.AlwaysFreeFor(channel) || _shard.Guard.IsTrusted(channel, _shard.Environment.Now));
    }

    /// <summary>
    /// Creates a smaller response with part of the content: the first bytes of a body as a block, or an error without its explanation.
    /// </summary>
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
        while (part is not null && size > 16 && size >= response.Payload.Length)
        {
            size /= 2;
        }

        if (!TryLeaveQBlock(response))
        {
            return null;
        }

        if (response.Payload.Length > size && response.Code.IsSuccess)
        {
            if (part is null)
            {
                // With a tag, so the client sees that later blocks are of the same body (RFC 7959 section 2.4). The result of an executed
                // request is kept, so later blocks do not execute it again. The same applies where the body of a FETCH came in blocks.
                CoapResult whole = BlockResponseCutter.Prepare(result);
                if (!exchange.Request.Code.IsSafe || exchange.Request.Code == CoapCode.Fetch)
                {
                    _blockwise.Store(exchange, whole, 0);
                }

                response.Options.Remove(OptionNumber.ETag);
                response.Options.Add(OptionNumber.ETag,
                    whole.Options.TryGetValue(OptionNumber.ETag, out ReadOnlySpan<byte> tag) ? tag : default);
            }

            // Cuts an already cut block again: it begins at the same byte.
            response.Options.Block2 = BlockValue.FromOffset(part?.ByteOffset ?? 0, more: true, BlockValue.GetSizeExponent(size));
            response.Payload = response.Payload[..size];
            return response;
        }

        if (!exchange.Request.Code.IsSafe && !response.Payload.IsEmpty && part is not { Number: > 0 })
        {
            // Reports that the request was executed, without its result.
            response.Payload = default;
            response.Options.Block2 = null;
            response.Options.Size2 = null;
            response.Options.Remove(OptionNumber.ContentFormat);
            response.Options.Remove(OptionNumber.ETag);
            return response;
        }

        return null;
    }

    // The first of several Q-Block2 messages becomes a small Block2 block, with the others on request. A later one cannot.
    private static bool TryLeaveQBlock(CoapMessage response)
    {
        if (response.OptionsToRead?.TryGetValue(OptionNumber.QBlock2, out ReadOnlySpan<byte> value) == true
            && BlockValue.TryParse(value, out BlockValue block))
        {
            if (block.Number > 0)
            {
                return false;
            }

            response.Options.Remove(OptionNumber.QBlock2);
            response.Options.Remove(OptionNumber.Size2);
        }

        return true;
    }

    /// <summary>Halves a block that has a successor.</summary>
    private static bool TryHalve(CoapMessage response)
    {
        if (response.OptionsToRead?.Block2 is not { More: true, SizeExponent: > 0 } block || response.Payload.Length != block.Size)
        {
            return false;
        }

        response.Options.Block2 = BlockValue.FromOffset(block.ByteOffset, more: true, block.SizeExponent - 1);
        response.Payload = response.Payload[..(block.Size / 2)];
        return true;
    }
}
