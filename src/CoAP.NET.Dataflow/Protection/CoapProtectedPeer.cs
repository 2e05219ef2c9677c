using System.Diagnostics.CodeAnalysis;

namespace CoAP.NET.Protection;

/// <summary>A security context in use with one peer.</summary>
public abstract class CoapProtectedPeer
{
    private CoapChannel? _channel;

    /// <summary>The protected peer, as all that stands above protection knows it.</summary>
    public CoapChannel Channel
    {
        get => _channel ?? throw new InvalidOperationException("The protected peer has no channel yet: it is being made.");
        internal set => _channel = value;
    }

    /// <summary>
    /// Whether <see cref="TryProtect"/> can protect any message now. Otherwise <see cref="PrepareAsync"/> is called before. May be called
    /// under a lock of the library, so it must be quick and call nobody.
    /// </summary>
    public abstract bool IsReady { get; }

    /// <summary>
    /// Protects a message to the peer. Called once for each message, not for its copies. May be called under a lock of the library, so it
    /// must be quick and call nobody.
    /// </summary>
    /// <param name="message">A request, or a response with the token of its request. Not to be changed.</param>
    /// <param name="protectedMessage">A new message with the token of <paramref name="message"/>.</param>
    /// <returns>False when it cannot be protected now, as <see cref="IsReady"/> is false, or the request of a response is not
    /// known.</returns>
    public abstract bool TryProtect(CoapMessage message, [NotNullWhen(true)] out CoapMessage? protectedMessage);

    /// <summary>
    /// Says what a message is that has the token of a protected request of ours. Called before anything looks at its options, without any
    /// lock.
    /// </summary>
    /// <param name="message">The message, whether it is protected or not. Not to be changed.</param>
    /// <returns>What is to become of it; <see cref="CoapProtectionVerdict.Pass"/> drops it.</returns>
    public abstract CoapProtectionVerdict UnprotectResponse(CoapMessage message);

    /// <summary>
    /// A request of ours needs no response any more: it was answered, given up or cancelled, or its observation has ended. May be called
    /// under a lock of the library, so it must be quick and call nobody.
    /// </summary>
    /// <param name="token">Its token.</param>
    public virtual void OnRequestEnded(CoapToken token)
    {
    }

    /// <summary>
    /// An observation of the peer has ended, and no response follows that says so: the peer rejected a notification, is gone, or ended it
    /// itself. May be called under a lock of the library, so it must be quick and call nobody.
    /// </summary>
    /// <param name="token">The token of its registration.</param>
    public virtual void OnObserverGone(CoapToken token)
    {
    }

    /// <summary>Waits until <see cref="IsReady"/> is true, as while numbers are reserved.</summary>
    /// <returns>Ends when it is.</returns>
    /// <exception cref="CoapException">It will not be: the context is used up, or its state cannot be kept.</exception>
    public abstract ValueTask PrepareAsync();

    /// <summary>
    /// Tells that <see cref="IsReady"/> has become true, so that what waits for it is sent now; otherwise it looks again within a second.
    /// No lock may be held.
    /// </summary>
    protected void NoteReady()
    {
        if (_channel is not { } channel)
        {
            return;
        }

        CoapShard shard = channel.Shard;
        shard.Enter();
        try
        {
            channel.Wire.Messaging.Sending?.Fire(shard.Environment.Now);
        }
        finally
        {
            shard.Exit();
        }
    }
}
