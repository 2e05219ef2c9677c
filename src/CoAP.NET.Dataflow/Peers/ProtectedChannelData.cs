namespace CoAP.NET.Peers;

/// <summary>The additional state of the channel of a protected peer.</summary>
internal sealed class ProtectedChannelData(CoapChannel carrier, CoapObjectSecurityContext context, CoapPeerSecurityContext peer)
    : IPeerFeatureState
{
    private static long s_number;

    public CoapChannel Carrier => carrier;

    public CoapObjectSecurityContext Context => context;

    public CoapPeerSecurityContext Peer => peer;

    /// <summary>
    /// The <see cref="CoapChannel.Number"/>: state of one protected peer, such as an Echo value, is invalid for another one behind the same
    /// address.
    /// </summary>
    public ulong Number { get; } = (1UL << 63) | (ulong)Interlocked.Increment(ref s_number);

    /// <summary>The maximum size of a plain message to a peer on a connection; the peer may change its own limit.</summary>
    public int MaxMessageSize => ObjectSecurityPeerParameters.SizeOf(carrier.MaxMessageSize, context);

    /// <summary>The round of <see cref="IdleObjectSecurityPeerEvictor"/> of its last use. Not guarded.</summary>
    public int Round { get; set; }

    /// <summary>Unprotected errors for requests that still wait. Guarded by Shard.Gate.</summary>
    public Dictionary<CoapToken, CoapException>? Doubts { get; set; }
}
