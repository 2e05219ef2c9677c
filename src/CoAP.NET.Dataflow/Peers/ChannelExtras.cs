using CoAP.NET.Exchanges;
using CoAP.NET.Observing;
using CoAP.NET.Signalling;
using CoAP.NET.Transports;

namespace CoAP.NET.Peers;

/// <summary>
/// What few of the peers need that only send requests: made when the first of it is needed, so that the others stay small. Who guards what
/// is said at the properties of <see cref="CoapChannel"/>.
/// </summary>
internal sealed class ChannelExtras
{
    public CoapConnection? Connection;
    public ChannelHints? Hints;
    public ConnectionState? SignallingState;
    public PeerExchanges? ExchangeState;
    public PeerObservers? ObservingState;
    public CoapPeer? Face;
    public RequestsUnderWay? Requests;
    public DropNote? LastDrop;

    /// <summary>See <see cref="CoapChannel.ProtectedOnes"/>.</summary>
    public ProtectedChannels? ProtectedOnes;

    /// <summary>What waits for the one who drains the outbox.</summary>
    public Queue<CoapOutbound>? Outbound;

    /// <summary>Which connection or session of the endpoint.</summary>
    public ulong Number;

    public long VerifiedUntil = long.MaxValue;
    public int AmplificationCredit;
    public bool IsCountedVerified;
}
