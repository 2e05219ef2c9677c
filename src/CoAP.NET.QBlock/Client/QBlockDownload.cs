using CoAP.NET.Blockwise;

namespace CoAP.NET.QBlock.Client;

/// <summary>
/// A body on its way from a server by Q-Block2, as the client sees it (RFC 9177 section 4.4): of which representation blocks are taken.
/// </summary>
/// <param name="maxSize">The largest body in bytes that is taken.</param>
internal sealed class QBlockDownload(long maxSize)
{
    private readonly List<byte[]> _former = [];
    private byte[]? _etag;

    /// <summary>The blocks; null before the first came.</summary>
    public CollectedBlocks? Blocks { get; private set; }

    public QBlockDownloadVerdict OnBlock(CoapMessage message, BlockValue block)
    {
        CoapOptionCollection options = message.Options;
        if (!options.TryGetValue(OptionNumber.ETag, out ReadOnlySpan<byte> etag) || options.Size2 is not { } size
            || !BlockPayloadSize.IsPartOf(block, message.Payload.Length, size))
        {
            return QBlockDownloadVerdict.Bad;
        }

        if (size > maxSize || size > Array.MaxLength)
        {
            return QBlockDownloadVerdict.TooLarge;
        }

        foreach (byte[] former in _former)
        {
            if (etag.SequenceEqual(former))
            {
                return QBlockDownloadVerdict.Ignored;
            }
        }

        bool isChanged = _etag is not null && !etag.SequenceEqual(_etag);
        if (isChanged)
        {
            _former.Add(_etag!);
        }

        if (isChanged || Blocks is null)
        {
            _etag = etag.ToArray();
            Blocks = new CollectedBlocks((int)size, block.SizeExponent);
        }
        else if (size != Blocks.Size || block.SizeExponent != Blocks.SizeExponent)
        {
            return QBlockDownloadVerdict.Bad;
        }

        if (Blocks.Has(block.Number))
        {
            return QBlockDownloadVerdict.Ignored;
        }

        Blocks.Put(block.Number, message.Payload.Span);
        return Blocks.Left == 0 ? QBlockDownloadVerdict.Complete
            : isChanged ? QBlockDownloadVerdict.Changed : QBlockDownloadVerdict.Taken;
    }
}
