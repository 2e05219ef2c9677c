using CoAP.NET.Transports;

namespace CoAP.NET;

/// <summary>A new address of a peer within its security session, for <see cref="CoapEndpoint.PeerMoved"/> (RFC 9146 section 6).</summary>
/// <param name="Peer">The peer, which is the same as before: requests, observations and transfers continue.</param>
/// <param name="From">The previous address.</param>
/// <param name="To">The new address, from which an authentic message newer than all earlier ones arrived. It is not yet proven that the
/// peer receives there: see <see cref="CoapPeer.IsVerified"/>.</param>
public sealed record CoapPeerMove(CoapPeer Peer, CoapAddress From, CoapAddress To);
