namespace CoAP.NET.Blockwise.Server;

/// <summary>
/// The body of a request that comes in blocks and is given to the handler as a whole (RFC 7959 section 2.5). Its memory grows as the blocks
/// come: what a peer announces by Size1 only keeps it from growing too far. Guarded by Shard.Gate.
/// </summary>
internal sealed class AssembledBody : SequentialRequestBody
{
    /// <summary>The overhead of a body in addition to its bytes.</summary>
    public const int Overhead = 512;

    /// <summary>The part of a share that a body may take in addition to its bytes, with its key.</summary>
    public const int Allowance = Overhead + 128;

    private readonly uint? _announced;
    private readonly BodyBuffer _body;
    private readonly FirstBlockEchoAge? _admitted;

    // Only what the last block may lack; its payload, which goes into the body, is let go.
    private readonly CoapMessage _first;

    private int _lastLength;

    /// <param name="bodies">The bodies of its shard.</param>
    /// <param name="key">The operation.</param>
    /// <param name="channel">The peer.</param>
    /// <param name="first">The request with the first block.</param>
    /// <param name="max">The maximum size of the body, in bytes: its memory does not grow beyond.</param>
    /// <param name="admitted">The Echo that the gates of its route accepted; null if there are no gates.</param>
    public AssembledBody(
        RequestBodyStore bodies, TransferKey key, CoapChannel channel, CoapMessage first, long max, FirstBlockEchoAge? admitted)
        : base(bodies, key, channel, first)
    {
        _body = new BodyBuffer(max);
        _admitted = admitted;
        _announced = first.OptionsToRead?.Size1;
        _first = new CoapMessage(first.Code);
        CopyPreconditions(first, _first);
    }

    protected override long Received => _body.Length;

    protected override bool Holds(long offset, ReadOnlySpan<byte> block) => _body.Holds(offset, block);

    protected override BlockVerdict Take(CoapExchange exchange, BlockValue block, long now)
    {
        CoapMessage message = exchange.Request.Message;
        ReadOnlySpan<byte> payload = message.Payload.Span;
        if (block.ByteOffset != _body.Length)
        {
            // A copy in a message of its own was taken already, so it is answered and not appended again. It does not count as progress.
            return block.More && Holds(block.ByteOffset, payload)
                ? BlockVerdict.Answer(BlockResponses.Continue(exchange, block))
                : OutOfSequence();
        }

        Bodies.Touch(this, _body.Length + payload.Length, now);
        int growth = _body.CapacityWith(payload.Length, _announced) - _body.Capacity;
        if (Bodies.Charge(this, growth + (Charge == 0 ? Overhead + Key.Size : 0), now) is { } full)
        {
            // The result stays if the body may continue later; the first block may also be repeated.
            if (_body.Length == 0 || full.Code == CoapCode.RequestEntityTooLarge)
            {
                Bodies.Release(this);
            }

            return BlockVerdict.Answer(full);
        }

        _body.Append(payload, _announced);
        if (block.More)
        {
            return BlockVerdict.Answer(BlockResponses.Continue(exchange, block));
        }

        Bodies.Detach(this);
        Complete(message);
        return Bodies.Deliver(exchange, this, block, _admitted, now);
    }

    /// <summary>
    /// The handler has answered, or never will: the memory is not counted any more. Where an Echo is asked for, the last block comes again
    /// with it (RFC 9175 section 2.3), and finds the others.
    /// </summary>
    public override bool OnReplied(CoapResult result)
    {
        if (result.AsksForEcho && !TransferStore.HasEnded(Channel) && Bodies.TryReattach(this, Channel.Shard.Environment.Now))
        {
            _body.RemoveLast(_lastLength);
        }
        else
        {
            Bodies.Release(this);
        }

        return true;
    }

    // Makes the message of the last block the whole request.
    private void Complete(CoapMessage last)
    {
        _lastLength = last.Payload.Length;
        last.Payload = _body.Body;
        CoapOptionCollection options = last.Options;
        options.Remove(OptionNumber.Block1);
        options.Remove(OptionNumber.Size1);
        if (_first.HasOptions && !options.Contains(OptionNumber.IfMatch) && !options.Contains(OptionNumber.IfNoneMatch))
        {
            options.AddAll(_first.Options);
        }
    }

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
