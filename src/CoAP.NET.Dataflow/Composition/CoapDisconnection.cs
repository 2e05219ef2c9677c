namespace CoAP.NET;

/// <summary>The end of a connection to a peer, for <see cref="CoapEndpoint.PeerDisconnected"/>.</summary>
/// <param name="Peer">The peer. If it had connected to us, requests to it now fail; if we connected to it, the next request opens a new
/// connection.</param>
/// <param name="Reason">The reason of the end.</param>
public sealed record CoapDisconnection(CoapPeer Peer, CoapConnectionException Reason);
