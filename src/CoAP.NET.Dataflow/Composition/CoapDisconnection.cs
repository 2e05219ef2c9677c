namespace CoAP.NET;

/// <summary>The end of a connection to a peer, for <see cref="CoapEndpoint.PeerDisconnected"/>.</summary>
public sealed class CoapDisconnection
{
    internal CoapDisconnection(CoapPeer peer, CoapConnectionException reason)
    {
        Peer = peer;
        Reason = reason;
    }

    /// <summary>The peer. If it had connected to us, requests to it now fail; if we connected to it, the next request opens a new
    /// connection.</summary>
    public CoapPeer Peer { get; }

    /// <summary>The reason of the end.</summary>
    public CoapConnectionException Reason { get; }
}
