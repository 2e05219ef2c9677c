using CoAP.NET.Exchanges;
using CoAP.NET.Options;

namespace CoAP.NET.Blockwise;

/// <summary>
/// Bodies that handlers of a server read while the blocks come. A state machine: every method is called under Shard.Gate.
/// </summary>
internal sealed class StreamedUploads(CoapShard shard, RequestBodies bodies)
{
    /// <summary>
    /// A block stands in the pipe, or the handler reads no more: it is answered, if it is not the last one, whose answer the handler makes.
    /// </summary>
    /// <param name="stream">The body.</param>
    public void OnWritten(StreamedBody stream)
    {
        stream.IsBusy = false;
        if (!stream.IsFinal && stream.Waiting is { } waiting)
        {
            stream.Waiting = null;
            BlockValue block = BlockAnswers.Taken(waiting, waiting.Request.Options.Block1!.Value);
            shard.AfterRelease(new LateAnswer(waiting, BlockAnswers.Continue(block)));
        }
    }

    /// <summary>The thread that put a block into the pipe is through with it.</summary>
    /// <returns>Whether it must end the pipe, outside the lock, as the body was given up meanwhile.</returns>
    public static bool OnWriteReturned(StreamedBody stream)
    {
        stream.IsWriting = false;
        return stream.Abortion is not null && !stream.IsFinal;
    }

    /// <summary>The handler has answered.</summary>
    /// <param name="stream">The body.</param>
    /// <param name="result">Its answer.</param>
    public void OnResult(StreamedBody stream, CoapResult result)
    {
        stream.Result = result;
        if (stream.Waiting is { } waiting && (stream.IsFinal || !result.Code.IsSuccess))
        {
            stream.Waiting = null;
            Conclude(stream, waiting, result);
        }

        // Otherwise the next block is told: of an error at once, of a success after the last block, as what follows is part of what the
        // handler did not need.
        stream.EndReading();
    }

    /// <summary>Whether a block is the one that came last.</summary>
    public static bool IsCopy(StreamedBody stream, BlockValue block, CoapMessage message) =>
        block.ByteOffset + message.Payload.Length == stream.Length && stream.LastBlock.Span.SequenceEqual(message.Payload.Span);

    /// <summary>A block came.</summary>
    public BodyVerdict Write(CoapExchange exchange, BlockValue block, StreamedBody stream, long now)
    {
        CoapMessage message = exchange.Request.Message;
        if (message.Options.ContentFormat != stream.Format)
        {
            return bodies.OtherFormat();
        }

        if (stream.Length > 0 && stream.IsFinal == !block.More && !exchange.Channel.IsReliable && IsCopy(stream, block, message))
        {
            return TakeCopy(exchange, block, stream, now);
        }

        if (block.ByteOffset != stream.Length || stream.IsFinal || stream.IsBusy)
        {
            return bodies.OutOfSequence(stream.Length);
        }

        bodies.Table.Touch(stream, stream.Length + message.Payload.Length, now);
        if (stream.Result is { Code.IsSuccess: false } failed)
        {
            return End(exchange, block, stream, failed);
        }

        // After a success, nothing more of the body is read.
        if (stream.Result is null && bodies.Charge(stream, stream.SizeWith(message.Payload.Length) - stream.Charge, now) is { } full)
        {
            bodies.GiveUp(stream, "There is no room for its next block.");
            return BodyVerdict.Answer(full);
        }

        stream.Length += message.Payload.Length;
        stream.LastBlock = exchange.Channel.IsReliable ? default : message.Payload;
        stream.IsFinal = !block.More;
        if (stream.Result is { } result)
        {
            return block.More
                ? BodyVerdict.Answer(BlockAnswers.Continue(BlockAnswers.Taken(exchange, block)))
                : End(exchange, block, stream, result);
        }

        stream.Waiting = exchange;
        stream.IsBusy = true;
        stream.IsWriting = true;
        return new BodyVerdict(BodyVerdictKind.Write, Stream: stream);
    }

    private BodyVerdict TakeCopy(CoapExchange exchange, BlockValue block, StreamedBody stream, long now)
    {
        if (!stream.IsBusy && !stream.IsFinal)
        {
            return BodyVerdict.Answer(BlockAnswers.Continue(BlockAnswers.Taken(exchange, block)));
        }

        // It waits for the handler, so its peer need not send anything new.
        bodies.Table.Touch(stream, stream.Length, now);

        // Sent again while its first copy waits for the handler: the later one is answered, as the peer listens to that one.
        if (stream.Waiting is { } earlier)
        {
            shard.AfterRelease(new LateAnswer(earlier, null));
        }

        stream.Waiting = exchange;
        return new BodyVerdict(BodyVerdictKind.Wait);
    }

    private BodyVerdict End(CoapExchange exchange, BlockValue block, StreamedBody stream, CoapResult result)
    {
        bodies.Table.Release(stream);
        exchange.Body = new ExchangeBody { Block1 = block };
        return BodyVerdict.Answer(result);
    }

    private void Conclude(StreamedBody stream, CoapExchange waiting, CoapResult result)
    {
        bodies.Table.Release(stream);
        waiting.Body = new ExchangeBody { Block1 = waiting.Request.Options.Block1 };
        shard.AfterRelease(new LateAnswer(waiting, result));
    }
}
