namespace CoAP.NET.Edhoc;

/// <summary>The message that needs external authorization data (RFC 9528 section 3.8).</summary>
/// <param name="Message">The number of the message that this side is about to send: 1 and 3 of an Initiator, 2 and 4 of a
/// Responder.</param>
/// <param name="PeerEad">The data that the peer has sent so far, with labels that the application knows.</param>
/// <param name="Session">
/// The session, for message_4. Null earlier: the peer has not proved its identity, or it is not available yet.
/// </param>
internal sealed record EdhocEadRequest(int Message, IReadOnlyList<EdhocEad> PeerEad, EdhocResult? Session)
{
    /// <summary>Whether anyone can read the data: true for message_1.</summary>
    public bool IsPublic => Message == 1;
}
