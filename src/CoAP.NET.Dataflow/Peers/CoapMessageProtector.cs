using CoAP.NET.Protection;

namespace CoAP.NET.Peers;

/// <summary>Protects requests and responses end to end, as OSCORE does (RFC 8613).</summary>
/// <remarks>
/// Insert it with <see cref="CoapPipelineOptions.Replace"/> of <see cref="CoapStages.Protection"/>, between Messaging and Exchanges. Type,
/// Message ID, token and retransmission then belong to the protected message. Options, bodies, observers, cache and handlers see the plain
/// one. The messages that a peer protects with one security context belong to a peer of their own: a <see cref="CoapChannel"/> over the
/// channel that carries them, with its own identity, observers, bodies and Echo values. One object serves one shard, from several threads.
/// The library calls it without holding a lock, unless a member says otherwise.
/// </remarks>
internal abstract class CoapMessageProtector
{
    /// <summary>Verifies a request of a peer, before anything looks at its options.</summary>
    /// <remarks><see cref="CoapPeerSecurityContext.UnprotectResponse"/> handles responses to protected requests of this endpoint.</remarks>
    /// <param name="channel">The channel that delivered the request.</param>
    /// <param name="message">The request, with type, Message ID and token. Do not change it.</param>
    /// <returns>The verdict. The task may complete later; the endpoint then acknowledges a Confirmable request in time.</returns>
    public abstract ValueTask<CoapProtectionVerdict> UnprotectRequestAsync(CoapChannel channel, CoapMessage message);

    /// <summary>Finds the security context for a request of this endpoint.</summary>
    /// <param name="target">The URI of the requested resource; null when the request is sent to a peer without a URI.</param>
    /// <param name="channel">The channel of the destination, which may be a proxy.</param>
    /// <returns>The context; null to send the request without protection.</returns>
    public abstract CoapObjectSecurityContext? Find(CoapUri? target, CoapChannel channel);

    /// <summary>Whether a message is protected. Does not verify it. Default false.</summary>
    /// <remarks>A proxy may have cut the message into blocks, which the library reassembles first. Must be quick.</remarks>
    /// <param name="message">The message as received. Do not change it.</param>
    /// <returns>True for a protected message.</returns>
    public virtual bool IsProtected(CoapMessage message) => false;

    /// <summary>The maximum payload of a protected message that is reassembled from blocks, in bytes. Default 0: none.</summary>
    /// <remarks>
    /// Single blocks cannot be verified, so a sender of blocks takes memory. The memory counts against the budget for request bodies and
    /// the share of the source.
    /// </remarks>
    public virtual int MaxUnfragmentedSize => 0;

    /// <summary>Forgets idle peers; created with the first peer. Guarded by Shard.Gate.</summary>
    internal IdleProtectedPeerEvictor? Idle { get; set; }

    /// <summary>Returns the use of a security context with the peer at the other end of a channel, and creates it on first use.</summary>
    protected static CoapPeerSecurityContext PeerOf(CoapChannel channel, CoapObjectSecurityContext context)
    {
        ArgumentNullException.ThrowIfNull(channel);
        ArgumentNullException.ThrowIfNull(context);
        return channel.Protected(context).Carried!.Peer;
    }
}
