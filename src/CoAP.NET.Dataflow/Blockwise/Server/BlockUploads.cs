using CoAP.NET.Exchanges;
using CoAP.NET.Options;

namespace CoAP.NET.Blockwise;

/// <summary>
/// Requests with Block1 in the role of a server (RFC 7959 sections 2.3 and 2.5): which block is what of which body, and what becomes of it.
/// A state machine: every method is called under Shard.Gate.
/// </summary>
internal sealed class BlockUploads(CoapShard shard, RequestBodies bodies)
{
    /// <summary>Bodies that handlers read while the blocks come.</summary>
    public StreamedUploads Streamed { get; } = new(shard, bodies);

    /// <summary>A block of a request's body came, and breaks no rule by itself.</summary>
    /// <param name="exchange">The request; becomes the whole one when this was the last block of a body to be assembled.</param>
    /// <param name="block">Its Block1.</param>
    /// <param name="policy">What the route says.</param>
    /// <param name="isAdmitted">Whether the gates of the route were asked about it.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    public BodyVerdict Receive(CoapExchange exchange, BlockValue block, BodyPolicy policy, bool isAdmitted, long now)
    {
        CoapMessage message = exchange.Request.Message;
        long max = bodies.LargestOf(policy);
        if (block.ByteOffset + message.Payload.Length > max || (block.Number == 0 && message.Options.Size1 > max))
        {
            Drop(exchange);
            return bodies.TooLarge(exchange, policy, max);
        }

        if (policy.Mode == BodyMode.Blocks)
        {
            // Each block is carried out by itself, which the more flag of the response says (RFC 7959 section 2.3).
            exchange.Body = new ExchangeBody { Block1 = new BlockValue(block.Number, more: false, block.SizeExponent) };
            return default;
        }

        BodyKey key = BodyKey.Of(exchange.Channel, message);
        bodies.Table.TryGet(key, out BodyEntry? entry);
        if (block.Number == 0 && !IsCopyOfFirst(entry, block, message))
        {
            if (entry is not null)
            {
                bodies.GiveUp(entry, "The peer began the body anew.");
            }

            return block.More ? Begin(exchange, block, policy, isAdmitted, key, now) : DeliverWhole(exchange, block);
        }

        return entry switch
        {
            BodyAssembly assembly => Append(exchange, block, assembly, now),
            StreamedBody stream => Streamed.Write(exchange, block, stream, now),
            _ => bodies.Missing(),
        };
    }

    /// <summary>Whether a block is the first one of a body that would be put together.</summary>
    public bool Begins(CoapExchange exchange, BlockValue block)
    {
        CoapMessage message = exchange.Request.Message;
        return block is { Number: 0, More: true }
            && !(bodies.Table.TryGet(BodyKey.Of(exchange.Channel, message), out BodyEntry? entry) && IsCopyOfFirst(entry, block, message));
    }

    /// <summary>Whether a block belongs to something that is under way, which goes on while the endpoint stops.</summary>
    public bool Continues(CoapExchange exchange)
    {
        CoapMessage message = exchange.Request.Message;
        return message.Options.Block1 is not null
            ? bodies.Table.TryGet(BodyKey.Of(exchange.Channel, message), out BodyEntry? entry) && entry is StreamedBody
            : message.Options.Block2 is { Number: > 0 };
    }

    /// <summary>
    /// The handler has answered, or never will: the memory of its request's body is not counted any more. Where an Echo is asked for, the
    /// last block comes again with it (RFC 9175 section 2.3), and finds the others.
    /// </summary>
    public void OnReplied(BodyAssembly assembly, CoapResult result)
    {
        if (result.AsksForEcho && !BodyLayer.HasEnded(assembly.Channel) && bodies.Table.TryReattach(assembly, shard.Environment.Now))
        {
            assembly.Reopen();
        }
        else
        {
            bodies.Table.Release(assembly);
        }
    }

    private static bool IsCopyOfFirst(BodyEntry? entry, BlockValue block, CoapMessage message) => block.More && entry switch
    {
        BodyAssembly assembly => assembly.Length == message.Payload.Length && IsCopy(assembly, block, message)
            && assembly.Format == message.Options.ContentFormat,
        StreamedBody stream => !stream.Channel.IsReliable && stream.Length == message.Payload.Length
            && StreamedUploads.IsCopy(stream, block, message) && stream.Format == message.Options.ContentFormat,
        _ => false,
    };

    private static bool IsCopy(BodyAssembly assembly, BlockValue block, CoapMessage message) =>
        block.More && assembly.Holds(block.ByteOffset, message.Payload.Span);

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
        AdmittedEcho? admitted = isAdmitted ? new AdmittedEcho(exchange.Request.EchoAge, now) : null;
        BodyEntry entry = policy.Mode == BodyMode.Streamed
            ? new StreamedBody(key, exchange.Channel, message)
            : new BodyAssembly(key, exchange.Channel, message, bodies.LargestOf(policy), admitted);
        bodies.Table.Add(entry, now);
        return entry is StreamedBody stream
            ? Streamed.Write(exchange, block, stream, now)
            : Append(exchange, block, (BodyAssembly)entry, now);
    }

    private BodyVerdict Append(CoapExchange exchange, BlockValue block, BodyAssembly assembly, long now)
    {
        CoapMessage message = exchange.Request.Message;
        if (message.Options.ContentFormat != assembly.Format)
        {
            return bodies.OtherFormat();
        }

        if (block.ByteOffset != assembly.Length)
        {
            if (!IsCopy(assembly, block, message))
            {
                return bodies.OutOfSequence(assembly.Length);
            }

            // A copy in a message of its own: taken already, so answered and not appended again. It is no progress.
            return BodyVerdict.Answer(BlockAnswers.Continue(BlockAnswers.Taken(exchange, block)));
        }

        int length = assembly.Length + message.Payload.Length;
        bodies.Table.Touch(assembly, length, now);
        long more = assembly.CapacityFor(length) - assembly.Capacity
            + (assembly.Charge == 0 ? BodyAssembly.Overhead + assembly.Key.Size : 0);
        if (bodies.Charge(assembly, more, now) is { } full)
        {
            // What came of it stays when it may go on later; the first block may as well come again.
            if (assembly.Length == 0 || full.Code == CoapCode.RequestEntityTooLarge)
            {
                bodies.Table.Release(assembly);
            }

            return BodyVerdict.Answer(full);
        }

        assembly.Append(message.Payload.Span);
        if (block.More)
        {
            return BodyVerdict.Answer(BlockAnswers.Continue(BlockAnswers.Taken(exchange, block)));
        }

        shard.Environment.Counters.Add(CoapCounter.BodiesAssembled);
        bodies.Table.Detach(assembly);
        assembly.Complete(message);
        exchange.Body = new ExchangeBody { Block1 = block, Owner = assembly, IsAdmitted = assembly.Admitted is not null };
        exchange.Request.EchoAge ??= assembly.Admitted?.AgeAt(now);
        return default;
    }

    private void Drop(CoapExchange exchange)
    {
        if (bodies.Table.TryGet(BodyKey.Of(exchange.Channel, exchange.Request.Message), out BodyEntry? entry))
        {
            bodies.GiveUp(entry, "The body became larger than the route takes.");
        }
    }
}
