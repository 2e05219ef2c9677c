using System.Net;

namespace CoAP.NET;

/// <summary>A new address of a peer within its security session, for <see cref="CoapEndpoint.PeerMoved"/> (RFC 9146 section 6).</summary>
public sealed class CoapPeerMove
{
    internal CoapPeerMove(CoapPeer peer, CoapAddress from, CoapAddress to)
    {
        Peer = peer;
        From = from.ToIPEndPoint();
        To = to.ToIPEndPoint();
    }

    /// <summary>The peer, which is the same as before: requests, observations and transfers continue.</summary>
    public CoapPeer Peer { get; }

    /// <summary>The previous address.</summary>
    public IPEndPoint From { get; }

    /// <summary>The new address, from which an authentic message newer than all earlier ones arrived. It is not yet proven that the peer
    /// receives there: see <see cref="CoapPeer.IsVerified"/>. The former address, if the peer did not answer at the one after it.</summary>
    public IPEndPoint To { get; }
}
