using CoAP.NET.Channels;

namespace CoAP.NET.Blockwise;

/// <summary>
/// The amount of a body in one message, and its size exponent. With BERT (RFC 8323 section 6) a message carries several blocks of 1,024
/// bytes.
/// </summary>
/// <param name="SizeExponent">The size exponent SZX, 0 to 7.</param>
/// <param name="Size">The number of bytes in a message that is not the last.</param>
/// <param name="Last">The maximum number of bytes in the last message: with BERT it may end inside a block.</param>
internal readonly record struct BlockPayloadSize(int SizeExponent, int Size, int Last)
{
    /// <summary>The unit that block numbers count, in bytes.</summary>
    public int Unit => UnitOf(SizeExponent);

    /// <summary>The unit that block numbers count, in bytes: under BERT 1,024.</summary>
    public static int UnitOf(int sizeExponent) => 16 << Math.Min(sizeExponent, BlockValue.MaxSizeExponent);

    /// <summary>How many bytes can be sent in blocks of a size: NUM has 20 bits (RFC 7959 section 2.2).</summary>
    public static long Capacity(int sizeExponent) => (BlockValue.MaxNumber + 1L) * UnitOf(sizeExponent);

    /// <summary>How many blocks of a size a body has; 0 for an empty one.</summary>
    public static int CountOf(long length, int sizeExponent) => (int)((length + UnitOf(sizeExponent) - 1) / UnitOf(sizeExponent));

    /// <summary>One block of 16 to 1,024 bytes in a message.</summary>
    public static BlockPayloadSize Plain(int sizeExponent) => new(sizeExponent, 16 << sizeExponent, 16 << sizeExponent);

    /// <summary>Computes what fits into a message.</summary>
    /// <param name="channel">The peer; only some support BERT.</param>
    /// <param name="wanted">The maximum size exponent, 0 to 7.</param>
    /// <param name="room">The number of bytes of the body that fit into a message. If it is below 16, the message is too large, which its
    /// sender detects.</param>
    public static BlockPayloadSize Of(CoapChannel channel, int wanted, long room)
    {
        int exponent = wanted;
        if (wanted == BlockValue.BertSizeExponent)
        {
            exponent = BlockValue.MaxSizeExponent;
            int last = (int)Math.Min(room, BlockSizeCalculator.MaxBert);
            int unit = UnitOf(wanted);
            if (last >= unit && PeerBlockwiseState.TakesBert(channel))
            {
                return new BlockPayloadSize(wanted, last / unit * unit, last);
            }
        }

        while (exponent > 0 && 16 << exponent > room)
        {
            exponent--;
        }

        return Plain(exponent);
    }

    /// <summary>How many bytes the next message carries.</summary>
    public int LengthOf(long left) => left <= Last ? (int)left : Size;

    /// <summary>Returns whether the number of the block at an offset can be encoded: NUM has 20 bits (RFC 7959 section 2.2).</summary>
    public bool HasNumber(long offset) => offset / Unit <= BlockValue.MaxNumber;

    /// <summary>Whether a block may have a payload of a length (RFC 7959 section 2.3, RFC 8323 section 6).</summary>
    public static bool IsLength(BlockValue block, int length) => (block.IsBert, block.More) switch
    {
        (true, true) => length > 0 && length % block.Size == 0,
        (true, false) => true,
        (false, true) => length == block.Size,
        _ => length <= block.Size,
    };

    /// <summary>Whether a payload is the block of a body whose size is known (RFC 9177 sections 4.3 and 4.4).</summary>
    public static bool IsPartOf(BlockValue block, int length, long size) =>
        !block.IsBert && block.ByteOffset < Math.Max(1, size) && length == Math.Min(size - block.ByteOffset, block.Size)
            && block.More == block.ByteOffset + block.Size < size;
}
