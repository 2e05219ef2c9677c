using CoAP.NET.Options;

namespace CoAP.NET.Peers;

/// <summary>In which parts a body goes to a peer.</summary>
internal static class ChannelParts
{
    extension(CoapChannel channel)
    {
        /// <summary>
        /// Answers above so many bytes are sent to the peer in blocks. On a connection whatever fits a message goes in one;
        /// <see cref="CoapTransmissionParameters.PreferredBlockSize"/> is about datagrams.
        /// </summary>
        public int BlockSize => channel.IsReliable ? channel.PeerMaxMessageSize
            : channel.AskedBlockSize == 0 ? channel.Parameters.PreferredBlockSize
            : Math.Min(8 << channel.AskedBlockSize, channel.Parameters.PreferredBlockSize);

        /// <summary>The most of a body in bytes that one message may carry, for who reads it at its place.</summary>
        /// <param name="asked">The block that is asked for; null for none.</param>
        public int LargestPart(BlockValue? asked)
        {
            const int block = 16 << BlockValue.MaxSizeExponent;
            return channel.IsReliable && asked is null or { IsBert: true }
                ? Math.Clamp(channel.MaxMessageSize, block, CoapChannel.MaxBert)
                : block;
        }

        /// <summary>In how many messages a body goes to the peer, if it fetches all of it with the size that it asks for now.</summary>
        /// <param name="total">The size of the body in bytes.</param>
        /// <param name="asked">The block that is asked for; null for none.</param>
        public long BlocksOf(long total, BlockValue? asked)
        {
            int size = channel.IsReliable
                ? channel.LargestPart(asked)
                : Math.Min(asked?.Size ?? int.MaxValue, channel.BlockSize);
            return Math.Max(1, (total + size - 1) / size);
        }
    }
}
