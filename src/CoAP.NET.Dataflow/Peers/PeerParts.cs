namespace CoAP.NET.Peers;

/// <summary>
/// The rarely used state of a channel: the state of chapters, and where its identity comes from. Created with the first of them, so
/// that the channel of a peer that only sends requests stays small.
/// </summary>
internal sealed class PeerParts
{
    public CoapConnection? Connection;

    /// <summary>An identity that is not that of the connection, such as that of a security context.</summary>
    public object? Identity;

    public PeerPartSlots Slots;
}
