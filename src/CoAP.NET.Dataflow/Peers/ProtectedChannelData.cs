using CoAP.NET.Protection;

namespace CoAP.NET.Peers;

/// <summary>The additional state of the channel of a protected peer.</summary>
internal sealed class ProtectedChannelData(CoapChannel carrier, CoapObjectSecurityContext context, CoapPeerSecurityContext peer)
{
    public CoapChannel Carrier => carrier;

    public CoapObjectSecurityContext Context => context;

    public CoapPeerSecurityContext Peer => peer;

    /// <summary>The round of <see cref="IdleProtectedPeerEvictor"/> of its last use. Not guarded.</summary>
    public int Round { get; set; }

    /// <summary>Unprotected errors for requests that still wait. Guarded by Shard.Gate.</summary>
    public Dictionary<CoapToken, CoapException>? Doubts { get; set; }
}
