namespace CoAP.NET.Peers;

/// <summary>The decision of a <see cref="CoapMessageProtector"/> about a message. The default value passes the message unchanged.</summary>
internal readonly struct CoapProtectionVerdict
{
    private CoapProtectionVerdict(
        ProtectionVerdictKind kind, CoapPeerSecurityContext? peer = null, CoapMessage? message = null, CoapException? error = null,
        bool isOwed = false, bool asksForAddress = false)
    {
        Kind = kind;
        IsOwed = isOwed;
        AsksForAddress = asksForAddress;
        Peer = peer;
        Message = message;
        Error = error;
    }

    /// <summary>The message is not protected and passes unchanged.</summary>
    public static CoapProtectionVerdict Pass => default;

    /// <summary>The message cannot be verified and is ignored.</summary>
    /// <remarks>The endpoint acknowledges a Confirmable message. A request that the message appeared to answer continues to wait.</remarks>
    public static CoapProtectionVerdict Drop { get; } = new(ProtectionVerdictKind.Drop);

    /// <summary>What relays the request to another node; null for nothing.</summary>
    internal Action<CoapMessage>? Relay { get; private init; }

    internal ProtectionVerdictKind Kind { get; }

    internal CoapPeerSecurityContext? Peer { get; }

    internal CoapMessage? Message { get; }

    internal CoapException? Error { get; }

    /// <summary>Whether a Non-confirmable request gets the answer too.</summary>
    internal bool IsOwed { get; }

    /// <summary>Whether the answer contains an Echo.</summary>
    internal bool AsksForAddress { get; }

    /// <summary>
    /// The request is for another node: it gets no answer and no acknowledgement here, and a copy counts as a new one.
    /// </summary>
    /// <param name="relay">
    /// Relays it. It gets the request as received, or as a Non-confirmable one if it was acknowledged meanwhile. Null if its client has to
    /// retransmit it.
    /// </param>
    /// <returns>The verdict.</returns>
    internal static CoapProtectionVerdict Elsewhere(Action<CoapMessage>? relay) =>
        new(ProtectionVerdictKind.Elsewhere) { Relay = relay };

    /// <summary>The message was verified: the plain message continues as a message of the protected peer.</summary>
    /// <param name="peer">The protected peer.</param>
    /// <param name="message">The plain message, with type, Message ID and token of the protected one.</param>
    /// <returns>The verdict.</returns>
    public static CoapProtectionVerdict Deliver(CoapPeerSecurityContext peer, CoapMessage message)
    {
        ArgumentNullException.ThrowIfNull(peer);
        ArgumentNullException.ThrowIfNull(message);
        return new CoapProtectionVerdict(ProtectionVerdictKind.Deliver, peer, message);
    }

    /// <summary>Answers a request at once, without protection. No stage above sees the request.</summary>
    /// <param name="answer">The response; the library fills in its token.</param>
    /// <param name="isOwed">
    /// Whether a Non-confirmable request gets the answer too, for example because an RFC demands it. By default the endpoint drops it
    /// silently.
    /// </param>
    /// <returns>The verdict.</returns>
    public static CoapProtectionVerdict Refuse(CoapMessage answer, bool isOwed = false)
    {
        ArgumentNullException.ThrowIfNull(answer);
        return new CoapProtectionVerdict(ProtectionVerdictKind.Refuse, message: answer, isOwed: isOwed);
    }

    /// <summary>Like <see cref="Refuse"/>, with an Echo in the answer (RFC 9175 section 2.4).</summary>
    /// <remarks>
    /// The client must repeat the request with the Echo outside of its protection, to prove that it receives at its address.
    /// <see cref="CoapChannel.IsVerified"/> is true then.
    /// </remarks>
    /// <param name="answer">The response, such as 4.01; the library fills in its token and the Echo.</param>
    /// <returns>The verdict.</returns>
    public static CoapProtectionVerdict AskForAddress(CoapMessage answer)
    {
        ArgumentNullException.ThrowIfNull(answer);
        return new CoapProtectionVerdict(ProtectionVerdictKind.Refuse, message: answer, asksForAddress: true);
    }

    /// <summary>Answers a request at once, with protection. No stage above sees the request.</summary>
    /// <param name="peer">The protected peer.</param>
    /// <param name="answer">The response; the library fills in its token.</param>
    /// <returns>The verdict.</returns>
    public static CoapProtectionVerdict Answer(CoapPeerSecurityContext peer, CoapMessage answer)
    {
        ArgumentNullException.ThrowIfNull(peer);
        ArgumentNullException.ThrowIfNull(answer);
        return new CoapProtectionVerdict(ProtectionVerdictKind.Answer, peer, answer);
    }

    /// <summary>Rejects an invalid response to a protected request: the request fails.</summary>
    public static CoapProtectionVerdict Fail(CoapPeerSecurityContext peer, CoapException error)
    {
        ArgumentNullException.ThrowIfNull(peer);
        ArgumentNullException.ThrowIfNull(error);
        return new CoapProtectionVerdict(ProtectionVerdictKind.Fail, peer, error: error);
    }
}
