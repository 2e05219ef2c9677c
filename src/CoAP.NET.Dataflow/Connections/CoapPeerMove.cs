using CoAP.NET.Transports;

namespace CoAP.NET;

/// <summary>
/// Another address of a peer within its security session, as <see cref="CoapEndpoint.PeerMoved"/> tells it (RFC 9146 section 6).
/// </summary>
/// <param name="Peer">The peer, which is the same as before: requests, observations and transfers go on.</param>
/// <param name="From">The address before.</param>
/// <param name="To">The address now, from which an authentic message newer than all before came. That the peer receives there is not shown
/// yet: see <see cref="CoapPeer.IsVerified"/>.</param>
public sealed record CoapPeerMove(CoapPeer Peer, CoapAddress From, CoapAddress To);
