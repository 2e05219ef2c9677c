using CoAP.NET.Requests;

namespace CoAP.NET.Blockwise.Server;

/// <summary>
/// The body of a request that comes in blocks and is given to the handler as a whole (RFC 7959 section 2.5). Its memory grows as the blocks
/// come: what a peer announces by Size1 only keeps it from growing too far. Guarded by Shard.Gate.
/// </summary>
internal sealed class AssembledBody : StoredTransfer
{
    /// <summary>The overhead of a body in addition to its bytes.</summary>
    public const int Overhead = 512;

    /// <summary>The part of a share that a body may take in addition to its bytes, with its key.</summary>
    public const int Allowance = Overhead + 128;

    private readonly RequestBodyStore _bodies;
    private readonly uint? _announced;
    private readonly long _max;
    private readonly FirstBlockEchoAge? _admitted;

    // Only what the last block may lack; its payload, which goes into the body, is let go.
    private readonly CoapMessage _first;

    // Describes the whole body and so is the same in all blocks (RFC 7959 section 2.3).
    private readonly CoapContentFormat? _format;
    private byte[] _bytes = [];

    // How many bytes came, without a gap.
    private int _length;
    private int _lastLength;

    /// <param name="bodies">The bodies of its shard.</param>
    /// <param name="key">The operation.</param>
    /// <param name="channel">The peer.</param>
    /// <param name="first">The request with the first block.</param>
    /// <param name="max">The maximum size of the body, in bytes: its memory does not grow beyond.</param>
    /// <param name="admitted">The Echo that the gates of its route accepted; null if there are no gates.</param>
    public AssembledBody(
        RequestBodyStore bodies, TransferKey key, CoapChannel channel, CoapMessage first, long max, FirstBlockEchoAge? admitted)
        : base(key, channel)
    {
        _bodies = bodies;
        _max = max;
        _admitted = admitted;
        _announced = first.OptionsToRead?.Size1;
        _first = new CoapMessage(first.Code);
        CopyPreconditions(first, _first);
        _format = first.OptionsToRead?.ContentFormat;
    }

    /// <summary>Whether the first block of a body that is not its last came again.</summary>
    public bool IsCopyOfFirst(CoapMessage message) =>
        _length == message.Payload.Length && Holds(0, message.Payload.Span) && _format == message.Options.ContentFormat;

    /// <summary>Processes a block.</summary>
    /// <param name="exchange">The request; becomes the whole one with the last block.</param>
    /// <param name="block">Its Block1.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    public BlockVerdict Receive(CoapExchange exchange, BlockValue block, long now)
    {
        CoapMessage message = exchange.Request.Message;
        if (message.Options.ContentFormat != _format)
        {
            return _bodies.OtherFormat();
        }

        if (block.ByteOffset != _length)
        {
            // A copy in a message of its own was taken already, so it is answered and not appended again. It is no progress.
            return block.More && Holds(block.ByteOffset, message.Payload.Span)
                ? BlockVerdict.Answer(BlockResponses.Continue(exchange, block))
                : _bodies.OutOfSequence(_length);
        }

        int length = _length + message.Payload.Length;
        _bodies.Touch(this, length, now);
        int capacity = CapacityFor(length);
        if (_bodies.Charge(this, capacity - _bytes.Length + (Charge == 0 ? Overhead + Key.Size : 0), now) is { } full)
        {
            // The result stays if the body may continue later; the first block may also be repeated.
            if (_length == 0 || full.Code == CoapCode.RequestEntityTooLarge)
            {
                _bodies.Release(this);
            }

            return BlockVerdict.Answer(full);
        }

        if (capacity > _bytes.Length)
        {
            Array.Resize(ref _bytes, capacity);
        }

        message.Payload.Span.CopyTo(_bytes.AsSpan(_length));
        _length = length;
        if (block.More)
        {
            return BlockVerdict.Answer(BlockResponses.Continue(exchange, block));
        }

        Channel.Shard.Environment.Counters.Add(CoapCounter.BodiesAssembled);
        _bodies.Detach(this);
        Complete(message);
        exchange.Body = new ReceivedRequestBodyState { Block1 = block, Transfer = this, IsAdmitted = _admitted is not null };
        exchange.Request.EchoAge ??= _admitted?.AgeAt(now);
        return default;
    }

    /// <summary>
    /// The handler has answered, or never will: the memory is not counted any more. Where an Echo is asked for, the last block comes again
    /// with it (RFC 9175 section 2.3), and finds the others.
    /// </summary>
    public override bool OnReplied(CoapResult result)
    {
        if (result.AsksForEcho && !TransferStore.HasEnded(Channel) && _bodies.TryReattach(this, Channel.Shard.Environment.Now))
        {
            _length -= _lastLength;
        }
        else
        {
            _bodies.Release(this);
        }

        return true;
    }

    // Makes the message of the last block the whole request.
    private void Complete(CoapMessage last)
    {
        _lastLength = last.Payload.Length;
        last.Payload = _bytes.AsMemory(0, _length);
        CoapOptionCollection options = last.Options;
        options.Remove(OptionNumber.Block1);
        options.Remove(OptionNumber.Size1);
        if (_first.HasOptions && !options.Contains(OptionNumber.IfMatch) && !options.Contains(OptionNumber.IfNoneMatch))
        {
            options.AddAll(_first.Options);
        }
    }

    // The memory for so many bytes, at the next growth if they do not fit.
    private int CapacityFor(int length)
    {
        if (length <= _bytes.Length)
        {
            return _bytes.Length;
        }

        long doubled = Math.Max(length, Math.Min(2L * _bytes.Length, _max));
        return (int)Math.Min(_announced is { } announced && announced >= length ? Math.Min(doubled, announced) : doubled, Array.MaxLength);
    }

    // Whether a block was stored already, byte by byte: then it is a copy, otherwise a piece of another body.
    private bool Holds(long offset, ReadOnlySpan<byte> block) =>
        offset + block.Length <= _length && _bytes.AsSpan((int)offset, block.Length).SequenceEqual(block);

    private static void CopyPreconditions(CoapMessage from, CoapMessage to)
    {
        CoapOptionCollection? options = from.OptionsToRead;
        for (int i = 0; i < (options?.Count ?? 0) && options!.NumberAt(i) <= OptionNumber.IfNoneMatch; i++)
        {
            if (options.NumberAt(i) is OptionNumber.IfMatch or OptionNumber.IfNoneMatch)
            {
                to.Options.Add(options.NumberAt(i), options.ValueAt(i));
            }
        }
    }
}

/// <summary>
/// How old a request was, by its Echo, when its first block passed the gates of its route: the whole is that much older when its last block
/// comes (RFC 9175 section 2.3).
/// </summary>
/// <param name="Age">Its age; null without an Echo.</param>
/// <param name="At">When it passed, in units of 100 ns.</param>
internal sealed record FirstBlockEchoAge(TimeSpan? Age, long At)
{
    public TimeSpan? AgeAt(long now) => Age is { } age ? age + TimeSpan.FromTicks(now - At) : null;
}
