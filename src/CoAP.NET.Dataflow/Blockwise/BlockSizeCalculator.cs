using CoAP.NET.Serialization;

namespace CoAP.NET.Blockwise;

/// <summary>Computes the block sizes for bodies to a peer.</summary>
internal static class BlockSizeCalculator
{
    /// <summary>
    /// The maximum number of bytes of a body in one message under BERT, whatever the peer takes. It bounds what is read and kept at a time
    /// for a peer that downloads a body.
    /// </summary>
    public const int MaxBert = 1024 * 1024;

    extension(CoapChannel channel)
    {
        /// <summary>
        /// The size above which answers to the peer are sent in blocks. On a connection any answer that fits in a message is sent in one;
        /// <see cref="CoapTransmissionParameters.PreferredBlockSize"/> applies to datagrams.
        /// </summary>
        public int BlockSize => channel.IsReliable ? channel.MaxMessageSize
            : channel.AskedBlockSize == 0 ? channel.Parameters.PreferredBlockSize
            : Math.Min(8 << channel.AskedBlockSize, channel.Parameters.PreferredBlockSize);

        /// <summary>Returns how many bytes of a body have room in one message, after its options.</summary>
        /// <param name="frame">How many bytes the rest takes: header, token, payload marker, and options that are added later.</param>
        /// <param name="options">The options; null for none.</param>
        public int Room(int frame, CoapOptionCollection? options) =>
            channel.MaxMessageSize - frame - (int)OptionSequenceWriter.Measure(options);

        /// <summary>Returns the maximum number of body bytes in one message, for code that reads the body in parts.</summary>
        /// <param name="asked">The requested block; null for none.</param>
        public int LargestPart(BlockValue? asked)
        {
            const int block = 16 << BlockValue.MaxSizeExponent;
            return channel.IsReliable && asked is null or { IsBert: true }
                ? Math.Clamp(channel.MaxMessageSize, block, MaxBert)
                : block;
        }

        /// <summary>Returns the number of messages for a body, if the peer fetches all of it with the requested block size.</summary>
        /// <param name="total">The size of the body in bytes.</param>
        /// <param name="asked">The requested block; null for none.</param>
        public long BlocksOf(long total, BlockValue? asked)
        {
            int size = channel.IsReliable
                ? channel.LargestPart(asked)
                : Math.Min(asked?.Size ?? int.MaxValue, channel.BlockSize);
            return Math.Max(1, (total + size - 1) / size);
        }
    }
}
