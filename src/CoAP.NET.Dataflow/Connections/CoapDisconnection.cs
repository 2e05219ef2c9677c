namespace CoAP.NET;

/// <summary>The end of a connection to a peer, as <see cref="CoapEndpoint.PeerDisconnected"/> tells it.</summary>
/// <param name="Peer">The peer. A request to one that had connected to us fails from now on; one that we connected to is connected to again
/// when it is asked something.</param>
/// <param name="Reason">Why the connection has ended.</param>
public sealed record CoapDisconnection(CoapPeer Peer, CoapConnectionException Reason);
