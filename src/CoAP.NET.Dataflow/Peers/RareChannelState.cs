namespace CoAP.NET.Peers;

/// <summary>
/// The rarely used state of a channel: the states of features, and the source of its identity. Created when one of them is set, so the
/// channel of a peer that only sends requests stays small.
/// </summary>
internal sealed class RareChannelState
{
    public CoapConnection? Connection;

    /// <summary>An identity that is not that of the connection, such as that of a security context.</summary>
    public ICoapPeerIdentity? Identity;

    public PeerFeatureStateSlots Slots;
}
