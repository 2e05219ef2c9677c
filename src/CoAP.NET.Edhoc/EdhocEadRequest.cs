namespace CoAP.NET.Edhoc;

/// <summary>For which message external authorization data is wanted (RFC 9528 section 3.8).</summary>
/// <param name="Message">The number of the message that this side is about to send: 1 and 3 of an Initiator, 2 and 4 of a
/// Responder.</param>
/// <param name="PeerEad">What the peer has sent so far, of the labels that the application knows.</param>
/// <param name="Session">The session, of message_4; before it null, as the peer has not proven who it is, or is not told yet.</param>
public sealed record EdhocEadRequest(int Message, IReadOnlyList<EdhocEad> PeerEad, EdhocSession? Session)
{
    /// <summary>Whether the whole world can read the data: of message_1.</summary>
    public bool IsPublic => Message == 1;
}
