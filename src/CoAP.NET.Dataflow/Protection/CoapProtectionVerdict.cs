namespace CoAP.NET.Protection;

/// <summary>What is to become of a message that a <see cref="CoapProtection"/> was shown. The default passes it as it came.</summary>
public readonly struct CoapProtectionVerdict
{
    private CoapProtectionVerdict(
        ProtectionVerdictKind kind, CoapProtectedPeer? peer = null, CoapMessage? message = null, CoapException? error = null,
        bool isOwed = false, bool asksForAddress = false)
    {
        Kind = kind;
        IsOwed = isOwed;
        AsksForAddress = asksForAddress;
        Peer = peer;
        Message = message;
        Error = error;
    }

    /// <summary>It is not protected: it goes on as it came.</summary>
    public static CoapProtectionVerdict Pass => default;

    /// <summary>
    /// It cannot be verified and means nothing. A Confirmable message is acknowledged; a request of ours that it seemed to answer goes on
    /// waiting.
    /// </summary>
    public static CoapProtectionVerdict Drop { get; } = new(ProtectionVerdictKind.Drop);

    internal ProtectionVerdictKind Kind { get; }

    internal CoapProtectedPeer? Peer { get; }

    internal CoapMessage? Message { get; }

    internal CoapException? Error { get; }

    /// <summary>Whether a Non-confirmable request gets the answer as well.</summary>
    internal bool IsOwed { get; }

    /// <summary>Whether the answer has an Echo.</summary>
    internal bool AsksForAddress { get; }

    /// <summary>It was verified: the plain message goes on, as one of the protected peer.</summary>
    /// <param name="peer">The protected peer.</param>
    /// <param name="message">The plain message, with type, Message ID and token of the protected one.</param>
    /// <returns>The verdict.</returns>
    public static CoapProtectionVerdict Deliver(CoapProtectedPeer peer, CoapMessage message)
    {
        ArgumentNullException.ThrowIfNull(peer);
        ArgumentNullException.ThrowIfNull(message);
        return new CoapProtectionVerdict(ProtectionVerdictKind.Deliver, peer, message);
    }

    /// <summary>A request is answered at once, without protection, and nobody sees it.</summary>
    /// <param name="answer">The response; its token is filled in.</param>
    /// <param name="isOwed">Whether a Non-confirmable request gets the answer as well, as where an RFC demands one. By default those are
    /// dropped without a word.</param>
    /// <returns>The verdict.</returns>
    public static CoapProtectionVerdict Refuse(CoapMessage answer, bool isOwed = false)
    {
        ArgumentNullException.ThrowIfNull(answer);
        return new CoapProtectionVerdict(ProtectionVerdictKind.Refuse, message: answer, isOwed: isOwed);
    }

    /// <summary>
    /// Like <see cref="Refuse"/>, with an Echo in the answer: the request is to come again with it, outside of its protection, and shows by
    /// that that its source receives at its address (RFC 9175 section 2.4). <see cref="CoapChannel.IsVerified"/> is true then.
    /// </summary>
    /// <param name="answer">The response, such as 4.01; its token and the Echo are filled in.</param>
    /// <returns>The verdict.</returns>
    public static CoapProtectionVerdict AskForAddress(CoapMessage answer)
    {
        ArgumentNullException.ThrowIfNull(answer);
        return new CoapProtectionVerdict(ProtectionVerdictKind.Refuse, message: answer, asksForAddress: true);
    }

    /// <summary>A request is answered at once, with protection, and nobody sees it.</summary>
    /// <param name="peer">The protected peer.</param>
    /// <param name="answer">The response; its token is filled in.</param>
    /// <returns>The verdict.</returns>
    public static CoapProtectionVerdict Answer(CoapProtectedPeer peer, CoapMessage answer)
    {
        ArgumentNullException.ThrowIfNull(peer);
        ArgumentNullException.ThrowIfNull(answer);
        return new CoapProtectionVerdict(ProtectionVerdictKind.Answer, peer, answer);
    }

    /// <summary>A response to a protected request of ours is none: the request fails.</summary>
    /// <param name="peer">The protected peer of the request.</param>
    /// <param name="error">Why.</param>
    /// <returns>The verdict.</returns>
    public static CoapProtectionVerdict Fail(CoapProtectedPeer peer, CoapException error)
    {
        ArgumentNullException.ThrowIfNull(peer);
        ArgumentNullException.ThrowIfNull(error);
        return new CoapProtectionVerdict(ProtectionVerdictKind.Fail, peer, error: error);
    }
}
