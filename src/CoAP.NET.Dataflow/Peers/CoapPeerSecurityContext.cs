using System.Diagnostics.CodeAnalysis;

namespace CoAP.NET.Peers;

/// <summary>A security context in use with one peer.</summary>
internal abstract class CoapPeerSecurityContext
{
    private CoapChannel? _channel;

    /// <summary>The channel of the protected peer, for all stages above protection.</summary>
    public CoapChannel Channel
    {
        get => _channel
            ?? throw new InvalidOperationException("The protected peer has no channel yet. Use Channel after MakePeer has returned.");
        internal set => _channel = value;
    }

    /// <summary>Whether <see cref="TryProtect"/> can protect any message now.</summary>
    /// <remarks>
    /// If false, the library calls <see cref="PrepareAsync"/> first. It may read this property under one of its locks: be quick and call no
    /// other code.
    /// </remarks>
    public abstract bool IsReady { get; }

    /// <summary>Protects a message to the peer.</summary>
    /// <remarks>
    /// The library calls it once for each message, and not for its copies. It may call it under one of its locks: be quick and call no
    /// other code.
    /// </remarks>
    /// <param name="message">A request, or a response with the token of its request. Do not change it.</param>
    /// <param name="protectedMessage">A new message with the token of <paramref name="message"/>.</param>
    /// <returns>
    /// False when the message cannot be protected now: <see cref="IsReady"/> is false, or the request of a response is unknown.
    /// </returns>
    public abstract bool TryProtect(CoapMessage message, [NotNullWhen(true)] out CoapMessage? protectedMessage);

    /// <summary>Verifies a message that has the token of a protected request of this endpoint.</summary>
    /// <remarks>The library calls it before it looks at the options, without any lock.</remarks>
    /// <param name="message">The message, protected or not. Do not change it.</param>
    /// <returns>The verdict; <see cref="CoapProtectionVerdict.Pass"/> drops the message.</returns>
    public abstract CoapProtectionVerdict UnprotectResponse(CoapMessage message);

    /// <summary>
    /// Reports that a request needs no more responses: it was answered, given up or cancelled, or its observation has ended.
    /// </summary>
    /// <remarks>The library may call it under one of its locks: be quick and call no other code.</remarks>
    public virtual void OnRequestEnded(CoapToken token)
    {
    }

    /// <summary>
    /// Reports that an observation of the peer has ended without a final response: the peer rejected a notification, disappeared, or
    /// cancelled.
    /// </summary>
    /// <remarks>The library may call it under one of its locks: be quick and call no other code.</remarks>
    public virtual void OnObserverGone(CoapToken token)
    {
    }

    /// <summary>Waits until <see cref="IsReady"/> is true, for example while numbers are reserved.</summary>
    /// <returns>A task that completes when <see cref="IsReady"/> is true.</returns>
    /// <exception cref="CoapException">
    /// <see cref="IsReady"/> will never be true: the context is exhausted, or its state cannot be stored.
    /// </exception>
    public abstract ValueTask PrepareAsync();

    /// <summary>Reports that <see cref="IsReady"/> has become true, so waiting messages are sent now.</summary>
    /// <remarks>Without this call the library checks again within a second. The caller must hold no lock.</remarks>
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
            shard.ExitAndSend();
        }
    }
}
