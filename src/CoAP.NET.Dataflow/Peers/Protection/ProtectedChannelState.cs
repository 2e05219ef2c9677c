namespace CoAP.NET.Protection;

/// <summary>The additional state of the channel of a protected peer.</summary>
/// <param name="carrier">The channel that carries its messages.</param>
/// <param name="context">The security context.</param>
/// <param name="peer">Protects messages to the peer.</param>
internal sealed class ProtectedChannelState(CoapChannel carrier, CoapSecurityContext context, CoapProtectedPeer peer)
{
    public CoapChannel Carrier => carrier;

    public CoapSecurityContext Context => context;

    public CoapProtectedPeer Peer => peer;

    /// <summary>The round of <see cref="IdleProtectedPeers"/> of its last use. Not guarded.</summary>
    public int Round { get; set; }

    /// <summary>Unprotected errors for requests that still wait. Guarded by Shard.Gate.</summary>
    public Dictionary<CoapToken, CoapException>? Doubts { get; set; }
}
