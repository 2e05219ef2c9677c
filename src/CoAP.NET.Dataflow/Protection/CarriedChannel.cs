namespace CoAP.NET.Protection;

/// <summary>What makes a channel that of a protected peer.</summary>
/// <param name="carrier">The channel that carries its messages.</param>
/// <param name="context">The security context.</param>
/// <param name="peer">Protects messages to the peer.</param>
internal sealed class CarriedChannel(CoapChannel carrier, CoapSecurityContext context, CoapProtectedPeer peer)
{
    public CoapChannel Carrier => carrier;

    public CoapSecurityContext Context => context;

    public CoapProtectedPeer Peer => peer;

    /// <summary>The round of <see cref="IdleProtectedPeers"/> in which it was used last. Not guarded.</summary>
    public int Round { get; set; }

    /// <summary>Errors that came without protection, of requests that still wait. Guarded by Shard.Gate.</summary>
    public Dictionary<CoapToken, CoapException>? Doubts { get; set; }
}
