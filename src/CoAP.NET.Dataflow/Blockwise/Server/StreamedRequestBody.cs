using System.IO.Pipelines;
using CoAP.NET.Requests;

namespace CoAP.NET.Blockwise.Server;

/// <summary>
/// The body of a request that a handler reads while its blocks come. The pipe holds at most a window: a block is acknowledged when what the
/// handler has not read yet fits it. State is guarded by Shard.Gate; the pipe is touched outside of it, by one thread at a time, as readers
/// continue inside those calls.
/// </summary>
internal sealed class StreamedRequestBody : SequentialRequestBody, IDeferredWork
{
    // How many bytes wait for the handler before the peer is held back.
    private const int Window = 8 * 1024;

    // Its cost for the limits: the window, the block beyond it and the one before it, and the objects.
    private const int Size = Window + 4096;

    // A block of this size and the one before it are in Size.
    private const int CountedBlock = 1024;

    private readonly Pipe _pipe = new(new PipeOptions(
        readerScheduler: PipeScheduler.Inline,
        writerScheduler: PipeScheduler.Inline,
        pauseWriterThreshold: Window + 1,
        resumeWriterThreshold: Window / 2,
        minimumSegmentSize: 1024,
        useSynchronizationContext: false));

    // The request without its body, for the handler.
    private readonly CoapMessage _head;

    // How many bytes were taken.
    private long _length;

    // The block that was taken last, to know a copy of it; nothing on connections, where there are none.
    private ReadOnlyMemory<byte> _lastBlock;

    // The block that is not answered yet.
    private CoapExchange? _waiting;

    // Whether a block is on its way into the pipe, or waits there for room.
    private bool _isBusy;

    // Whether a thread is inside the pipe.
    private bool _isWriting;

    // Whether the last block came.
    private bool _isFinal;

    // The response of the handler, if it completed before the last block.
    private CoapResult? _result;

    // Why nothing follows any more.
    private CoapException? _abortion;

    /// <param name="bodies">The bodies of its shard.</param>
    /// <param name="key">The operation.</param>
    /// <param name="channel">The peer.</param>
    /// <param name="first">The request with the first block.</param>
    public StreamedRequestBody(RequestBodyStore bodies, TransferKey key, CoapChannel channel, CoapMessage first)
        : base(bodies, key, channel, first)
    {
        CoapMessage head = new(first.Code, first.Options.Registry);
        head.Options.AddAll(first.Options);
        head.Options.Remove(OptionNumber.Block1);
        _head = head;
    }

    public override bool WaitsForServer => _isBusy || _isFinal;

    public override bool IsWhole => _isFinal;

    protected override long Received => _length;

    protected override BlockVerdict Take(CoapExchange exchange, BlockValue block, long now)
    {
        CoapMessage message = exchange.Request.Message;
        if (_length > 0 && _isFinal == !block.More && Holds(block.ByteOffset, message.Payload.Span))
        {
            return ReceiveCopy(exchange, block, now);
        }

        if (block.ByteOffset != _length || _isFinal || _isBusy)
        {
            return OutOfSequence();
        }

        int length = message.Payload.Length;
        Bodies.Touch(this, _length + length, now);
        if (_result is { Code.IsSuccess: false } failed)
        {
            return End(exchange, block, failed);
        }

        // After a success, nothing more of the body is read. With BERT a message has many blocks (RFC 8323 section 6), and is in its frame
        // and in the pipe.
        // A body that goes on counts as an open stream: the handler that reads it holds a file, a connection or the like.
        long size = Size + Key.Size + (length > CountedBlock ? 2L * length : 0) + (block.More ? Bodies.Budget.OpenStream : 0);
        if (_result is null && Bodies.Charge(this, size - Charge, now) is { } full)
        {
            Bodies.GiveUp(this, "There is no room for its next block.");
            return BlockVerdict.Answer(full);
        }

        _length += length;
        _lastBlock = Channel.IsReliable ? default : message.Payload;
        _isFinal = !block.More;
        if (_result is { } result)
        {
            return block.More ? BlockVerdict.Answer(BlockResponses.Continue(exchange, block)) : End(exchange, block, result);
        }

        _waiting = exchange;
        _isBusy = true;
        _isWriting = true;
        return new BlockVerdict(BlockVerdictKind.Wait, Stream: this);
    }

    /// <summary>Hands a block to the handler that reads the body, which goes on within the call. No lock may be held.</summary>
    /// <param name="exchange">The request with the block.</param>
    /// <param name="block">Its Block1.</param>
    public void Write(CoapExchange exchange, BlockValue block)
    {
        CoapShard shard = Channel.Shard;
        ValueTask<FlushResult> flush = default;
        UserCodeScope.Enter();
        try
        {
            flush = WriteToPipe(exchange.Request.Payload, isFinal: !block.More);
        }
#pragma warning disable CA1031 // the handler's continuation is user code
        catch (Exception exception)
#pragma warning restore CA1031
        {
            shard.Environment.Counters.Add(CoapCounter.HandlerErrors);
            Log.StageFailed(shard.Environment.Logger, exception);
        }
        finally
        {
            UserCodeScope.Exit();
        }

        bool isAborted;
        shard.Enter();
        try
        {
            _isWriting = false;
            isAborted = _abortion is not null && !_isFinal;
        }
        finally
        {
            shard.ExitAndSend();
        }

        if (isAborted)
        {
            // It was given up meanwhile.
            CompleteWithAbortion();
        }

        if (block.Number == 0)
        {
            // The block is in the pipe, so a handler that reads at once finds it.
            Serve(exchange.Request);
        }

        _ = WaitForCapacityAsync(flush);
    }

    /// <summary>The handler has answered: what it did not read is discarded when the lock is released.</summary>
    public override bool OnReplied(CoapResult result)
    {
        _result = result;
        if (_waiting is { } waiting && (_isFinal || !result.Code.IsSuccess))
        {
            _waiting = null;
            Bodies.Release(this);
            waiting.Body = new ReceivedRequestBodyState { Block1 = waiting.Request.Options.Block1 };
            Channel.Shard.AfterRelease(new WaitingRequestCompletion(waiting, result));
        }

        // Otherwise the next block is told: of an error at once, of a success after the last block, as what follows is part of what the
        // handler did not need.
        Channel.Shard.AfterRelease(new ReaderCompletion(_pipe.Reader));
        return false;
    }

    /// <summary>
    /// Informs the reading handler, and answers the waiting block. Bytes that the handler has completely stay available to it.
    /// </summary>
    public override void OnGivenUp(string reason)
    {
        if (_isFinal || _abortion is not null)
        {
            return;
        }

        _abortion = new CoapException(CoapError.BodyIncomplete, $"The body of the request ends after {_length} bytes: {reason}");
        if (_waiting is { } waiting)
        {
            _waiting = null;
            Channel.Shard.AfterRelease(
                new WaitingRequestCompletion(waiting, BlockResponses.Incomplete("The transfer of the body was abandoned. Begin "
                    + "with block 0.")));
        }

        if (!_isWriting)
        {
            Channel.Shard.AfterRelease(this);
        }
    }

    void IDeferredWork.OnReleased(CoapShard shard) => CompleteWithAbortion();

    // Ends the reader with the reason. Runs the handler's continuation, so no lock may be held.
    private void CompleteWithAbortion()
    {
        _pipe.Writer.CancelPendingFlush();
        _pipe.Writer.Complete(_abortion);
    }

    private ValueTask<FlushResult> WriteToPipe(ReadOnlyMemory<byte> block, bool isFinal)
    {
        if (!isFinal)
        {
            return _pipe.Writer.WriteAsync(block);
        }

        if (!block.IsEmpty)
        {
            block.Span.CopyTo(_pipe.Writer.GetSpan(block.Length));
            _pipe.Writer.Advance(block.Length);
        }

        // Written bytes become visible at the end; no later data has to be held back.
        _pipe.Writer.Complete();
        return new ValueTask<FlushResult>(new FlushResult(isCanceled: false, isCompleted: true));
    }

    private void Serve(CoapRequestContext first)
    {
        CoapExchange exchange = new(Channel, null, new CoapRequestContext(_head, Channel)
        {
            Confirmable = first.Confirmable,
            EchoAge = first.EchoAge,
            Body = new ReceivedRequestBodyState { Transfer = this, IsStreamed = true, Reader = _pipe.Reader },
        });
        Channel.Shard.Enter();
        try
        {
            Channel.Shard.AfterRelease(exchange);
        }
        finally
        {
            Channel.Shard.ExitAndSend();
        }
    }

    // A block is in the pipe, or the handler reads no more: it is answered, if it is not the last one, whose answer the handler makes.
    private async Task WaitForCapacityAsync(ValueTask<FlushResult> flush)
    {
        try
        {
            await flush.ConfigureAwait(false);
        }
#pragma warning disable CA1031 // the handler ended its reader with an exception of its own: it reads no more
        catch (Exception)
#pragma warning restore CA1031
        {
        }

        Channel.Shard.Enter();
        try
        {
            _isBusy = false;
            if (!_isFinal && _waiting is { } waiting)
            {
                _waiting = null;
                CoapResult answer = BlockResponses.Continue(waiting, waiting.Request.Options.Block1!.Value);
                Channel.Shard.AfterRelease(new WaitingRequestCompletion(waiting, answer));
            }
        }
        finally
        {
            Channel.Shard.ExitAndSend();
        }
    }

    // Only the block that came last may come again.
    protected override bool Holds(long offset, ReadOnlySpan<byte> block) =>
        !Channel.IsReliable && offset + block.Length == _length && _lastBlock.Span.SequenceEqual(block);

    private BlockVerdict ReceiveCopy(CoapExchange exchange, BlockValue block, long now)
    {
        if (!_isBusy && !_isFinal)
        {
            return BlockVerdict.Answer(BlockResponses.Continue(exchange, block));
        }

        // It waits for the handler, so its peer need not send anything new.
        Bodies.Touch(this, _length, now);

        // Sent again while its first copy waits for the handler: the later one is answered, as the peer listens to that one.
        if (_waiting is { } earlier)
        {
            Channel.Shard.AfterRelease(new WaitingRequestCompletion(earlier, null));
        }

        _waiting = exchange;
        return new BlockVerdict(BlockVerdictKind.Wait);
    }

    private BlockVerdict End(CoapExchange exchange, BlockValue block, CoapResult result)
    {
        Bodies.Release(this);
        exchange.Body = new ReceivedRequestBodyState { Block1 = block };
        return BlockVerdict.Answer(result);
    }

    private sealed class ReaderCompletion(PipeReader reader) : IDeferredWork
    {
        public void OnReleased(CoapShard shard) => reader.Complete();
    }
}
