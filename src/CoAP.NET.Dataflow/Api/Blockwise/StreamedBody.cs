using System.IO.Pipelines;
using CoAP.NET.Exchanges;
using CoAP.NET.Options;

namespace CoAP.NET.Blockwise;

/// <summary>
/// The body of a request that a handler reads while its blocks come. The pipe holds at most a window: a block is acknowledged when what the
/// handler has not read yet fits it. State is guarded by Shard.Gate; the pipe is touched outside of it, by one thread at a time, as readers
/// continue inside those calls.
/// </summary>
internal sealed class StreamedBody : BodyEntry, IAfterRelease
{
    /// <summary>How many bytes wait for the handler before the peer is held back.</summary>
    public const int Window = 8 * 1024;

    /// <summary>Its cost for the limits: the window, the block beyond it and the one before it, and the objects.</summary>
    public const int Size = Window + 4096;

    // A block of this size and the one before it are in Size.
    private const int CountedBlock = 1024;

    private readonly Pipe _pipe = new(new PipeOptions(
        readerScheduler: PipeScheduler.Inline,
        writerScheduler: PipeScheduler.Inline,
        pauseWriterThreshold: Window + 1,
        resumeWriterThreshold: Window / 2,
        minimumSegmentSize: 1024,
        useSynchronizationContext: false));

    public StreamedBody(BodyKey key, CoapChannel channel, CoapMessage first)
        : base(key, channel)
    {
        CoapMessage head = new(first.Code, first.Options.Registry);
        head.Options.AddAll(first.Options);
        head.Options.Remove(OptionNumber.Block1);
        Format = first.Options.ContentFormat;
        Head = head;
    }

    /// <summary>The request without its body, for the handler.</summary>
    public CoapMessage Head { get; }

    public CoapContentFormat? Format { get; }

    public PipeReader Reader => _pipe.Reader;

    /// <summary>How many bytes were taken.</summary>
    public long Length { get; set; }

    /// <summary>The block that was taken last, to know a copy of it; nothing on connections, where there are none.</summary>
    public ReadOnlyMemory<byte> LastBlock { get; set; }

    /// <summary>
    /// Returns its cost while it processes a block: with BERT a message has many (RFC 8323 section 6), and is in its frame and in the pipe.
    /// </summary>
    public long SizeWith(int block) => Size + Key.Size + (block > CountedBlock ? 2L * block : 0);

    /// <summary>The block that is not answered yet.</summary>
    public CoapExchange? Waiting { get; set; }

    /// <summary>Whether a block is on its way into the pipe, or waits there for room.</summary>
    public bool IsBusy { get; set; }

    public override bool WaitsForUs => IsBusy || IsFinal;

    public override bool IsWhole => IsFinal;

    /// <summary>Whether a thread is inside <see cref="Write"/>.</summary>
    public bool IsWriting { get; set; }

    /// <summary>Whether the last block came.</summary>
    public bool IsFinal { get; set; }

    /// <summary>The response of the handler, if it completed before the last block.</summary>
    public CoapResult? Result { get; set; }

    /// <summary>Why nothing follows any more.</summary>
    public CoapIncompleteBodyException? Abortion { get; set; }

    /// <summary>Puts a block into the pipe. Runs the handler's continuation, so no lock may be held.</summary>
    public ValueTask<FlushResult> Write(ReadOnlyMemory<byte> block, bool isFinal)
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

    /// <summary>
    /// Informs the reading handler, and answers the waiting block. Bytes that the handler has completely stay available to it.
    /// </summary>
    public override void OnGivenUp(string reason)
    {
        if (IsFinal || Abortion is not null)
        {
            return;
        }

        Abortion = new CoapIncompleteBodyException($"The body of the request ends after {Length} bytes: {reason}");
        if (Waiting is { } waiting)
        {
            Waiting = null;
            Channel.Shard.AfterRelease(
                new LateAnswer(waiting, BlockAnswers.Incomplete("The body was given up. Begin with block 0.")));
        }

        if (!IsWriting)
        {
            Channel.Shard.AfterRelease(this);
        }
    }

    /// <summary>Ends the reader with the reason. Runs the handler's continuation, so no lock may be held.</summary>
    public void CompleteWithAbortion()
    {
        _pipe.Writer.CancelPendingFlush();
        _pipe.Writer.Complete(Abortion);
    }

    /// <summary>The handler is through: what it did not read is let go. Under the lock; carried out when it is released.</summary>
    public void EndReading() => Channel.Shard.AfterRelease(new ReadingEnd(_pipe.Reader));

    void IAfterRelease.OnReleased(CoapShard shard) => CompleteWithAbortion();

    private sealed class ReadingEnd(PipeReader reader) : IAfterRelease
    {
        public void OnReleased(CoapShard shard) => reader.Complete();
    }
}
