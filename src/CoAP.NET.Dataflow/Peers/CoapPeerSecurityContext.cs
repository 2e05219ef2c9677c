using System.Diagnostics.CodeAnalysis;

namespace CoAP.NET.Peers;

/// <summary>A security context in use with one peer.</summary>
/// <remarks>The library may call each member under one of its locks: be quick and call no other code.</remarks>
internal abstract class CoapPeerSecurityContext
{
    /// <summary>The channel of the protected peer, for all stages above protection.</summary>
    public CoapChannel Channel
    {
        get => field
            ?? throw new InvalidOperationException("The protected peer has no channel yet. Use Channel after MakePeer has returned.");
        internal set;
    }

    /// <summary>Whether <see cref="TryProtect"/> can protect any message now.</summary>
    public abstract bool IsReady { get; }

    /// <summary>Protects a message to the peer.</summary>
    /// <remarks>The library calls it once for each message, and not for its copies.</remarks>
    /// <param name="message">A request, or a response with the token of its request. Do not change it.</param>
    /// <param name="protectedMessage">A new message with the token of <paramref name="message"/>.</param>
    /// <returns>
    /// False when the message cannot be protected now: <see cref="IsReady"/> is false, or the request of a response is unknown.
    /// </returns>
    public abstract bool TryProtect(CoapMessage message, [NotNullWhen(true)] out CoapMessage? protectedMessage);

    /// <summary>
    /// Reports that a request needs no more responses: it was answered, given up or cancelled, or its observation has ended.
    /// </summary>
    public abstract void OnRequestEnded(CoapToken token);

    /// <summary>
    /// Reports that an observation of the peer has ended without a final response: the peer rejected a notification, disappeared, or
    /// cancelled.
    /// </summary>
    public abstract void OnObserverGone(CoapToken token);
}
