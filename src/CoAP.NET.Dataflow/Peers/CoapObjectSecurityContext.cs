namespace CoAP.NET;

/// <summary>A security context, such as that of OSCORE: the keys shared with one other end, wherever it is.</summary>
public abstract class CoapObjectSecurityContext
{
    /// <summary>The identity that the other end proves with its messages. <see cref="CoapPeer.Identity"/> returns it.</summary>
    internal abstract ICoapPeerIdentity Identity { get; }

    /// <summary>The maximum overhead of a protected message over the plain one, in bytes. The endpoint cuts bodies accordingly.</summary>
    internal abstract int Overhead { get; }

    /// <summary>The maximum size of a plain message that can be protected, in bytes. Default: no limit.</summary>
    /// <remarks>
    /// It applies in addition to the limit of the peer. The endpoint cuts bodies accordingly, and refuses messages that it cannot cut with
    /// <see cref="CoapError.TooLarge"/>.
    /// </remarks>
    internal virtual int MaxMessageSize => int.MaxValue;

    /// <summary>Creates the object that protects the messages to a peer.</summary>
    /// <remarks>
    /// The library calls it once for each channel that carries messages of the context, under a lock: be quick and call no other code.
    /// </remarks>
    /// <param name="protection">
    /// The protection of the channel's shard, which distinguishes the endpoints that use the context; null when the endpoint has none.
    /// </param>
    /// <returns>A new object.</returns>
    internal abstract CoapPeerSecurityContext MakePeer(CoapMessageProtector? protection);
}
