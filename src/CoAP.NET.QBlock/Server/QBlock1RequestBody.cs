using CoAP.NET.Blockwise.Server;

namespace CoAP.NET.QBlock.Server;

/// <summary>
/// The body of a request that comes by Q-Block1, in any order (RFC 9177 section 4.3). It stays after the handler got it, so that what comes
/// again is answered as before. Guarded by Shard.Gate.
/// </summary>
internal sealed class QBlock1RequestBody : StoredTransfer, ITransmissionOwner
{
    private readonly QBlock1RequestReceiver _uploads;
    private readonly byte[] _tag;
    private readonly byte[]? _tagBefore;
    private readonly CoapContentFormat? _format;
    private bool _isRefused;

    /// <param name="uploads">Notified when missing blocks have been awaited long enough.</param>
    /// <param name="key">The operation, without its tag.</param>
    /// <param name="channel">The peer.</param>
    /// <param name="first">The request with the block that came first.</param>
    /// <param name="sizeExponent">The size exponent of its blocks.</param>
    /// <param name="before">The body before it at the same resource; null for none.</param>
    public QBlock1RequestBody(QBlock1RequestReceiver uploads, TransferKey key, CoapChannel channel, CoapMessage first, int sizeExponent,
        QBlock1RequestBody? before)
        : base(key, channel)
    {
        _uploads = uploads;
        _tag = TagOf(first);
        _tagBefore = before?._tag;
        _format = first.Options.ContentFormat;
        Blocks = new CollectedBlocks((int)(first.Options.Size1 ?? 0), sizeExponent);
        Waiting = new QBlock1ReceiveTimer(uploads, this);
    }

    /// <summary>Fires when missing blocks were waited for long enough.</summary>
    public QBlock1ReceiveTimer Waiting { get; }

    /// <summary>The Echo that the gates of its route accepted; null if there are no gates.</summary>
    public FirstBlockEchoAge? Admitted { get; init; }

    public CollectedBlocks Blocks { get; }

    /// <summary>Up to which number blocks were asked for or confirmed at once because a later set began.</summary>
    public int AskedBefore { get; set; }

    /// <summary>How many times what is missing was asked for without anything coming.</summary>
    public int Asked { get; set; }

    /// <summary>The token of the block that came last, for messages about the body.</summary>
    public CoapToken Token { get; set; }

    /// <summary>The response; null before the handler completed, or if the response is too large to be kept here.</summary>
    public CoapResult? Result { get; set; }

    public override bool IsWhole => _isRefused || Blocks.Left == 0;

    public override long IdleTime => Channel.Parameters.NonPartialTimeout.Ticks;

    public override bool OnReplied(CoapResult result)
    {
        _uploads.OnReplied(this, result);
        return true;
    }

    public override void OnGivenUp(string reason)
    {
        Channel.Shard.Wheel.Cancel(Waiting);

        // A message that asked for missing blocks refers to this body as long as the peer may reject it.
        Blocks.Free();
    }

    /// <summary>The Request-Tags of a message, with their lengths.</summary>
    public static byte[] TagOf(CoapMessage message)
    {
        List<byte> tag = [];
        CoapOptionCollection options = message.Options;
        for (int i = Math.Max(0, options.IndexOf(OptionNumber.RequestTag));
            i < options.Count && options.NumberAt(i) <= OptionNumber.RequestTag; i++)
        {
            if (options.NumberAt(i) == OptionNumber.RequestTag)
            {
                tag.Add((byte)options.LengthAt(i));
                tag.AddRange(options.ValueAt(i));
            }
        }

        return [.. tag];
    }

    public bool HasTag(ReadOnlySpan<byte> tag) => tag.SequenceEqual(_tag);

    /// <summary>Whether a tag is that of the body before: what still comes of it came late.</summary>
    public bool HadTag(ReadOnlySpan<byte> tag) => _tagBefore is not null && tag.SequenceEqual(_tagBefore);

    /// <summary>Whether a block says the same of the body as the ones before.</summary>
    public bool Fits(CoapMessage message, BlockValue block) =>
        message.Options.Size1 == (uint)Blocks.Size && block.SizeExponent == Blocks.SizeExponent && message.Options.ContentFormat == _format;

    /// <summary>Its blocks are not taken: those that come are answered so.</summary>
    public void Refuse(CoapResult refusal)
    {
        _isRefused = true;
        Result = refusal;
    }

    /// <summary>Makes the message of a block the whole request. The memory goes with it.</summary>
    public void Complete(CoapMessage last)
    {
        last.Payload = Blocks.TakeAll();
        last.Options.Remove(OptionNumber.QBlock1);
        last.Options.Remove(OptionNumber.Size1);
    }

    // Its messages are lists of missing blocks; a reset means that the peer no longer knows the body.
    void ITransmissionOwner.OnTransmissionEnd(CoapTransmission transmission, CoapInboundKind fate)
    {
        if (fate != CoapInboundKind.Reset)
        {
            return;
        }

        Channel.Shard.Enter();
        try
        {
            _uploads.OnReset(this);
        }
        finally
        {
            Channel.Shard.ExitAndSend();
        }
    }
}

/// <summary>The second timer of a body that comes by Q-Block1: fires when missing blocks were waited for long enough.</summary>
internal sealed class QBlock1ReceiveTimer(QBlock1RequestReceiver uploads, QBlock1RequestBody body) : WheelTimer
{
    internal override void Fire(long now) => uploads.OnMissing(body, now);
}
