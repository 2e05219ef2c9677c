namespace CoAP.NET.Peers;

/// <summary>Finds and creates the peers with object security (OSCORE) that a channel carries.</summary>
internal static class ProtectedChannelExtensions
{
    extension(CoapChannel channel)
    {
        /// <summary>Returns the peer that a request is sent to: the one behind the channel, if the request is protected.</summary>
        /// <param name="target">The target; null for none.</param>
        /// <param name="message">The request, which may name a server behind the target.</param>
        public CoapChannel ProtectedFor(CoapUri? target, CoapMessage message) =>
            channel.Carried is null && channel.Shard.Protection?.Find(target, message) is { } context
                ? channel.Protected(context)
                : channel;

        /// <summary>Returns the protected peer behind a channel. Takes the lock of the shard, unless it is the most recent one.</summary>
        public CoapChannel Protected(CoapObjectSecurityContext context)
        {
            CoapShard shard = channel.Shard;
            if (ProtectedPeersOfChannel.Of(channel)?.Latest is { IsForgotten: false } latest
                && ReferenceEquals(latest.Carried!.Context, context))
            {
                // A peer that is being forgotten still works, and becomes garbage afterwards.
                latest.Carried.Round = shard.Protection?.Idle?.Round ?? 0;
                return latest;
            }

            shard.Enter();
            try
            {
                return channel.ProtectedUnderLock(context);
            }
            finally
            {
                shard.ExitAndSend();
            }
        }

        /// <summary>Like <see cref="Protected"/>; under the lock of the shard.</summary>
        public CoapChannel ProtectedUnderLock(CoapObjectSecurityContext context)
        {
            ProtectedPeersOfChannel all = ProtectedPeersOfChannel.Of(channel)
                ?? channel.StoreFeatureState(PeerFeatureKind.Protection, new ProtectedPeersOfChannel(channel.Shard.MaxProtectedPeers));
            if (!all.TryGet(context, out CoapChannel? found))
            {
                found = new CoapChannel(channel, context);
                all.Add(context, found);
                if (channel.Shard.Protection is { } protection)
                {
                    (protection.Idle ??= new IdleObjectSecurityPeerEvictor(channel.Shard)).Add(found);
                }
            }

            found.Carried!.Round = channel.Shard.Protection?.Idle?.Round ?? 0;
            return found;
        }
    }
}
