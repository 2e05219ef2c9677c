using System.Globalization;
using CoAP.NET.Channels;
using CoAP.NET.Exchanges;
using CoAP.NET.Options;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Blockwise;

// Requests with Block1: RFC 7959 sections 2.3 and 2.5.
internal sealed partial class BodyLayer
{
    /// <summary>A block of a request's body came, and breaks no rule by itself.</summary>
    /// <param name="exchange">The request; becomes the whole one when this was the last block of a body to be assembled.</param>
    /// <param name="block">Its Block1.</param>
    /// <param name="policy">What the route says.</param>
    /// <param name="isAdmitted">Whether the gates of the route were asked about it.</param>
    /// <param name="now">Now, in units of 100 ns.</param>
    public BodyVerdict Receive(CoapExchange exchange, BlockValue block, BodyPolicy policy, bool isAdmitted, long now)
    {
        CoapMessage message = exchange.Request.Message;
        long max = LargestOf(policy);
        if (block.ByteOffset + message.Payload.Length > max || (block.Number == 0 && message.Options.Size1 > max))
        {
            Drop(exchange);
            return TooLarge(exchange, policy, max);
        }

        if (policy.Mode == BodyMode.Blocks)
        {
            // Each block is carried out by itself, which the more flag of the response says (RFC 7959 section 2.3).
            exchange.Body = new ExchangeBody { Block1 = new BlockValue(block.Number, more: false, block.SizeExponent) };
            return default;
        }

        BodyKey key = BodyKey.Of(exchange.Channel, message);
        _bodies.TryGet(key, out BodyEntry? entry);
        if (block.Number == 0 && !IsCopyOfFirst(entry, block, message))
        {
            if (entry is not null)
            {
                GiveUp(entry, "The peer began the body anew.");
            }

            return block.More ? Begin(exchange, block, policy, isAdmitted, key, now) : DeliverWhole(exchange, block);
        }

        return entry switch
        {
            BodyAssembly assembly => Append(exchange, block, assembly, now),
            StreamedBody stream => Write(exchange, block, stream, now),
            _ => Missing(),
        };
    }

    /// <summary>Whether a block is the first one of a body that would be put together.</summary>
    public bool Begins(CoapExchange exchange, BlockValue block)
    {
        CoapMessage message = exchange.Request.Message;
        if ((exchange.Special & SpecialOptions.QBlock) != 0)
        {
            _bodies.TryGet(BodyKey.OfQBlock(exchange.Channel, message), out BodyEntry? before);
            byte[] tag = QBlockBody.TagOf(message);
            return before is not QBlockBody body || (!body.HasTag(tag) && !body.HadTag(tag));
        }

        return block is { Number: 0, More: true }
            && !(_bodies.TryGet(BodyKey.Of(exchange.Channel, message), out BodyEntry? entry) && IsCopyOfFirst(entry, block, message));
    }

    // What is put together has to fit the share of a source as well.
    private long LargestOf(BodyPolicy policy) =>
        policy.Mode == BodyMode.Whole ? Math.Min(policy.MaxSize, Math.Max(0, _bodies.Budget.PeerMax - BodyAssembly.Allowance)) : policy.MaxSize;

    private BodyVerdict TooLarge(CoapExchange exchange, BodyPolicy policy, long max)
    {
        _counters.Add(CoapCounter.BodiesTooLarge);
        exchange.Channel.NoteDrop(CoapCounter.BodiesTooLarge);
        if (max < policy.MaxSize && _capped.IsDue())
        {
            _shard.AfterRelease(
                static state =>
                {
                    (ILogger logger, string path, long wanted, long max) = ((ILogger, string, long, long))state!;
                    Log.BodySizeCapped(logger, path, wanted, max);
                },
                (_shard.Environment.Logger, exchange.Request.Path, policy.MaxSize, max));
        }

        return BodyVerdict.Answer(BlockAnswers.TooLarge(max));
    }

    private static bool IsCopyOfFirst(BodyEntry? entry, BlockValue block, CoapMessage message) => block.More && entry switch
    {
        BodyAssembly assembly => assembly.Length == message.Payload.Length && IsCopy(assembly, block, message) && assembly.Format == message.Options.ContentFormat,
        StreamedBody stream => !stream.Channel.IsReliable && stream.Length == message.Payload.Length && IsCopy(stream, block, message) && stream.Format == message.Options.ContentFormat,
        _ => false,
    };

    private static bool IsCopy(BodyAssembly assembly, BlockValue block, CoapMessage message) =>
        block.More && assembly.Holds(block.ByteOffset, message.Payload.Span);

    private static bool IsCopy(StreamedBody stream, BlockValue block, CoapMessage message) =>
        block.ByteOffset + message.Payload.Length == stream.Length && stream.LastBlock.Span.SequenceEqual(message.Payload.Span);

    private static BodyVerdict DeliverWhole(CoapExchange exchange, BlockValue block)
    {
        CoapMessage message = exchange.Request.Message;
        message.Options.Remove(OptionNumber.Block1);
        message.Options.Remove(OptionNumber.Size1);
        exchange.Body = new ExchangeBody { Block1 = block };
        return default;
    }

    private BodyVerdict Begin(CoapExchange exchange, BlockValue block, BodyPolicy policy, bool isAdmitted, BodyKey key, long now)
    {
        CoapMessage message = exchange.Request.Message;
        BodyEntry entry = policy.Mode == BodyMode.Streamed
            ? new StreamedBody(key, exchange.Channel, message)
            : new BodyAssembly(key, exchange.Channel, message, LargestOf(policy), isAdmitted ? new AdmittedEcho(exchange.Request.EchoAge, now) : null);
        _bodies.Add(entry, now);
        if (entry is StreamedBody stream)
        {
            return Write(exchange, block, stream, now);
        }

        return Append(exchange, block, (BodyAssembly)entry, now);
    }

    private BodyVerdict Append(CoapExchange exchange, BlockValue block, BodyAssembly assembly, long now)
    {
        CoapMessage message = exchange.Request.Message;
        if (message.Options.ContentFormat != assembly.Format)
        {
            return OtherFormat();
        }

        if (block.ByteOffset != assembly.Length)
        {
            if (!IsCopy(assembly, block, message))
            {
                return OutOfSequence(assembly.Length);
            }

            // A copy in a message of its own: taken already, so answered and not appended again. It is no progress.
            return BodyVerdict.Answer(BlockAnswers.Continue(Taken(exchange, block)));
        }

        int length = assembly.Length + message.Payload.Length;
        _bodies.Touch(assembly, length, now);
        long more = assembly.CapacityFor(length) - assembly.Capacity + (assembly.Charge == 0 ? BodyAssembly.Overhead + assembly.Key.Size : 0);
        if (Charge(assembly, more, now) is { } full)
        {
            // What came of it stays when it may go on later; the first block may as well come again.
            if (assembly.Length == 0 || full.Code == CoapCode.RequestEntityTooLarge)
            {
                _bodies.Release(assembly);
            }

            return BodyVerdict.Answer(full);
        }

        assembly.Append(message.Payload.Span);
        if (block.More)
        {
            return BodyVerdict.Answer(BlockAnswers.Continue(Taken(exchange, block)));
        }

        _counters.Add(CoapCounter.BodiesAssembled);
        _bodies.Detach(assembly);
        assembly.Complete(message);
        exchange.Body = new ExchangeBody { Block1 = block, Owner = assembly, IsAdmitted = assembly.Admitted is not null };
        exchange.Request.EchoAge ??= assembly.Admitted?.AgeAt(now);
        return default;
    }

    // How a block was taken. The first response says which size is wanted; the peer then goes on with it (RFC 7959 section 2.3, figure 9).
    private static BlockValue Taken(CoapExchange exchange, BlockValue block) =>
        block.Number > 0 || exchange.Channel.IsReliable ? block : new BlockValue(0, more: true, Math.Min(block.SizeExponent, BlockValue.GetSizeExponent(exchange.Channel.Parameters.PreferredBlockSize)));

    private void Drop(CoapExchange exchange)
    {
        if (_bodies.TryGet(BodyKey.Of(exchange.Channel, exchange.Request.Message), out BodyEntry? entry))
        {
            GiveUp(entry, "The body became larger than the route takes.");
        }
    }

    private BodyVerdict Missing()
    {
        _counters.Add(CoapCounter.BodiesIncomplete);
        return BodyVerdict.Answer(BlockAnswers.Incomplete("The blocks before this one are not here. Begin with block 0."));
    }

    private BodyVerdict OutOfSequence(long expected)
    {
        _counters.Add(CoapCounter.BodiesIncomplete);
        return BodyVerdict.Answer(BlockAnswers.Incomplete(string.Create(CultureInfo.InvariantCulture, $"The next block begins at byte {expected}.")));
    }

    private BodyVerdict OtherFormat()
    {
        _counters.Add(CoapCounter.BodiesIncomplete);
        return BodyVerdict.Answer(BlockAnswers.Incomplete("The blocks of a body have one Content-Format."));
    }
}
