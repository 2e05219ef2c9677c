namespace CoAP.NET.Peers;

/// <summary>
/// Rarely used state of a channel, created on first use to keep the other channels small. The properties of <see cref="CoapChannel"/> state
/// the locking.
/// </summary>
internal sealed class RarePeerState
{
    public CoapConnection? Connection;
    public LearnedPeerFacts? LearnedFacts;
    public PeerFeatureStateSlots Parts;
    public ConnectionRequestCounter? Requests;
    public LastDrop? LastDrop;

    public ProtectedPeersOfChannel? ProtectedOnes;

    /// <summary>Items that wait for the thread that drains the outbox.</summary>
    public Queue<CoapOutbound>? Outbound;

    /// <summary>The number of the connection or session within the endpoint.</summary>
    public ulong Number;

    public long VerifiedUntil = long.MaxValue;
    public int AmplificationCredit;
    public bool IsCountedVerified;
}
