using System.Threading.Tasks.Dataflow;

namespace CoAP.NET.Peers;

/// <summary>Protects requests and responses of one shard end to end, as OSCORE does (RFC 8613).</summary>
/// <remarks>
/// Insert it with <see cref="CoapPipelineOptions.Replace"/> of <see cref="CoapStages.Protection"/>, between Messaging and Exchanges. Type,
/// Message ID, token and retransmission then belong to the protected message. Options, bodies, observers, cache and handlers see the plain
/// one. The messages that a peer protects with one security context belong to a peer of their own: a <see cref="CoapChannel"/> over the
/// channel that carries them, with its own identity, observers, bodies and Echo values.
/// </remarks>
internal abstract class CoapMessageProtector
{
    /// <summary>Verifies messages. Those of a protected peer go up with its channel (<see cref="ProtectedChannelExtensions"/>).</summary>
    public abstract IPropagatorBlock<CoapInbound, CoapInbound> Inbound { get; }

    /// <summary>Protects messages to protected peers. They leave by the channel that carries them.</summary>
    public abstract IPropagatorBlock<CoapOutbound, CoapOutbound> Outbound { get; }

    /// <summary>Forgets idle peers; created with the first peer. Guarded by Shard.Gate.</summary>
    internal IdleObjectSecurityPeerEvictor? Idle { get; set; }

    /// <summary>Finds the security context for a request of this endpoint. The caller must hold no lock.</summary>
    /// <param name="target">The URI of the requested resource; null when the request is sent to a peer without a URI.</param>
    /// <param name="message">The request, which may name a server behind the target. Do not change it.</param>
    /// <returns>The context; null to send the request without protection.</returns>
    public abstract CoapObjectSecurityContext? Find(CoapUri? target, CoapMessage message);
}
