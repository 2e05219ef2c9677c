namespace CoAP.NET.Oscore.Stage;

/// <summary>The decision of <see cref="OscoreProtection"/> or <see cref="OscorePeer"/> about a message that was received.</summary>
/// <param name="Kind">The action. The default value passes the message unchanged.</param>
/// <param name="Peer">The protected peer.</param>
/// <param name="Message">
/// The plain message, with type, Message ID and token of the protected one; or the answer, which needs no token.
/// </param>
/// <param name="IsOwed">Whether a Non-confirmable request gets the refusal too, for example because an RFC demands it.</param>
internal readonly record struct OscoreVerdict(
    OscoreVerdictKind Kind, OscorePeer? Peer = null, CoapMessage? Message = null, bool IsOwed = false)
{
    /// <summary>The message cannot be verified.</summary>
    public static OscoreVerdict Drop => new(OscoreVerdictKind.Drop);

    /// <summary>The error of a request whose response is invalid.</summary>
    public CoapException? Error { get; init; }

    /// <summary>Relays the request to another node; null for nothing, so that its client has to retransmit it.</summary>
    public Action<CoapMessage>? Relay { get; init; }
}

/// <summary>What happens to a received message.</summary>
internal enum OscoreVerdictKind : byte
{
    /// <summary>It is not protected and passes unchanged.</summary>
    Pass,

    /// <summary>It is ignored, and acknowledged if it is Confirmable. A request that it appeared to answer waits on.</summary>
    Drop,

    /// <summary>It was verified: the plain message goes up as one of the protected peer.</summary>
    Deliver,

    /// <summary>The request gets an answer without protection, and goes no further.</summary>
    Refuse,

    /// <summary>
    /// Like <see cref="Refuse"/>, with an Echo in the answer: the client repeats the request with the Echo outside of its protection, to
    /// prove that it receives at its address (RFC 9175 section 2.4).
    /// </summary>
    AskForAddress,

    /// <summary>The request gets an answer with protection, and goes no further.</summary>
    Answer,

    /// <summary>The request that it answers fails.</summary>
    Fail,

    /// <summary>The request is for another node: it gets neither answer nor acknowledgement here, and a copy counts as a new one.</summary>
    Elsewhere,
}
