namespace CoAP.NET.Protection;

/// <summary>What a channel has to do with protection.</summary>
internal static class ProtectedChannelExtensions
{
    extension(CoapChannel channel)
    {
        /// <summary>The channel whose messages the transport moves: this one, or the one that carries it.</summary>
        public CoapChannel Wire => channel.Carried?.Carrier ?? channel;

        /// <summary>The protected peer behind a channel. Takes the lock of the shard.</summary>
        /// <param name="context">The security context.</param>
        public CoapChannel Protected(CoapSecurityContext context)
        {
            CoapShard shard = channel.Shard;
            shard.Enter();
            try
            {
                return channel.ProtectedUnderLock(context);
            }
            finally
            {
                shard.Exit();
            }
        }

        /// <summary>Like <see cref="Protected"/>; under the lock of the shard.</summary>
        public CoapChannel ProtectedUnderLock(CoapSecurityContext context)
        {
            ProtectedChannels all = channel.ProtectedOnes ??= new ProtectedChannels();
            if (!all.TryGet(context, out CoapChannel? found))
            {
                found = new CoapChannel(channel, context);
                all.Add(context, found);
            }

            return found;
        }
    }
}
