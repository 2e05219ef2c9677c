namespace CoAP.NET.Protection;

/// <summary>A security context of a <see cref="CoapProtection"/>: the keys that are shared with one other end, wherever it is.</summary>
public abstract class CoapSecurityContext
{
    /// <summary>Who the other end is, as it proves by its messages: what <see cref="CoapPeer.Identity"/> returns.</summary>
    public abstract object Identity { get; }

    /// <summary>By how many bytes a protected message is larger than a plain one, at most. Bodies are cut accordingly.</summary>
    public abstract int Overhead { get; }

    /// <summary>
    /// How large a plain message may be so that it can be protected, in bytes, however large messages the peer takes. There is no bound by
    /// default. Bodies are cut accordingly; what cannot be cut is refused with <see cref="CoapTooLargeException"/>.
    /// </summary>
    public virtual int MaxMessageSize => int.MaxValue;

    /// <summary>
    /// Makes what protects the messages to a peer. Called once for each channel that brings, or gets, messages of the context, under a lock
    /// of the library: it must be quick and call nobody.
    /// </summary>
    /// <param name="protection">The protection of the shard that the channel belongs to, by which a context that several endpoints use
    /// tells them apart; null where the endpoint has none.</param>
    /// <returns>A new object.</returns>
    public abstract CoapProtectedPeer MakePeer(CoapProtection? protection);
}
