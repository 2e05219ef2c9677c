namespace CoAP.NET;

// Peers that are reached by a connection (RFC 8323).
public sealed partial class CoapPeer
{
    /// <summary>
    /// Whether the connection to the peer stands; always false on datagram transports, which have none. A peer that had connected to us can only be asked while it is connected. One that we
    /// connected to is connected to again by the next request.
    /// </summary>
    public bool IsConnected => CoapEndpoint.IsConnected(Channel);

    /// <summary>The connection or session to the peer; null where a peer is an address.</summary>
    internal Transports.CoapConnection? Connection => Channel.Connection;

    /// <summary>
    /// Cancelled when the connection to the peer ends, as the requests on it fail; already, when it has ended and there is no new one. Of the connection that stands when this is read: a later one
    /// has another token. Never cancelled on datagram transports.
    /// </summary>
    public CancellationToken Disconnected => _endpoint.EndOf(Channel);
}
