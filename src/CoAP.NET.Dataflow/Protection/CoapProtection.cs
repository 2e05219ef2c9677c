namespace CoAP.NET.Protection;

/// <summary>
/// Protects requests and responses end to end, as OSCORE does (RFC 8613): it stands between Messaging and Exchanges, so that type, Message
/// ID, token and retransmission are those of the protected message, while options, bodies, observers, cache and handlers see the plain one.
/// Put it in by <see cref="CoapPipelineOptions.Replace"/> of <see cref="CoapStages.Protection"/>.
/// </summary>
/// <remarks>
/// What a peer protects with one security context is another peer: a <see cref="CoapChannel"/> over the channel that carries it, with an
/// identity, observers, bodies and Echo values of its own. One object serves one shard, from several threads; no lock of the library is
/// held when it is called, unless a member says otherwise.
/// </remarks>
public abstract class CoapProtection
{
    /// <summary>
    /// Says what a request of a peer is, before anything looks at its options. What is a response to a protected request of ours is for
    /// <see cref="CoapProtectedPeer.UnprotectResponse"/>.
    /// </summary>
    /// <param name="channel">The peer that brought it.</param>
    /// <param name="message">The request, with type, Message ID and token. Not to be changed.</param>
    /// <returns>What is to become of it. It may be said later; a Confirmable request is acknowledged in time then.</returns>
    public abstract ValueTask<CoapProtectionVerdict> UnprotectRequestAsync(CoapChannel channel, CoapMessage message);

    /// <summary>The security context for a request of ours.</summary>
    /// <param name="target">Whose resource it asks for; null where it is sent to a peer without a URI.</param>
    /// <param name="channel">The peer that it is sent to, which may be a proxy.</param>
    /// <returns>The context; null where the request is sent without protection.</returns>
    public abstract CoapSecurityContext? Find(CoapUri? target, CoapChannel channel);

    /// <summary>
    /// Whether a message is protected, without verifying it: a proxy may have cut it into blocks, which are put together before anything
    /// else. False by default. Must be quick.
    /// </summary>
    /// <param name="message">A message as it came. Not to be changed.</param>
    /// <returns>Whether it is.</returns>
    public virtual bool IsProtected(CoapMessage message) => false;

    /// <summary>
    /// How large the payload of a protected message may be that is put together of blocks, in bytes. Nobody can verify single blocks, so
    /// whoever sends some takes memory: of the budget for bodies of requests, and of a share of the source. 0, the default, takes none.
    /// </summary>
    public virtual int MaxUnfragmentedSize => 0;

    /// <summary>Forgets peers that are idle; made with the first peer. Guarded by Shard.Gate.</summary>
    internal IdleProtectedPeers? Idle { get; set; }

    /// <summary>A security context in use with the peer at the other end of a channel. Made when first asked for.</summary>
    /// <param name="channel">The channel that carries the protected messages.</param>
    /// <param name="context">The security context.</param>
    /// <returns>What <see cref="CoapSecurityContext.MakePeer"/> made for the two.</returns>
    protected static CoapProtectedPeer PeerOf(CoapChannel channel, CoapSecurityContext context)
    {
        ArgumentNullException.ThrowIfNull(channel);
        ArgumentNullException.ThrowIfNull(context);
        return channel.Protected(context).Carried!.Peer;
    }
}
