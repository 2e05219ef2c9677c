namespace CoAP.NET;

/// <summary>Ends the connections and sessions of some peers, for example of those whose credentials were revoked.</summary>
public static class CoapDisconnectExtensions
{
    /// <summary>Ends connections (RFC 8323) and DTLS sessions immediately.</summary>
    /// <param name="endpoint">The endpoint.</param>
    /// <param name="condition">
    /// Whether to end the connection of a peer, for example by its <see cref="CoapPeer.Identity"/>. Called once for each connection, also
    /// for those that have just been accepted. An exception of it ends the call; connections that were ended before stay ended.
    /// </param>
    /// <param name="reason">The reason as a sentence, for <see cref="CoapEndpoint.PeerDisconnected"/> and pending requests.</param>
    /// <returns>The number of ended connections and sessions.</returns>
    /// <remarks>
    /// The endpoint accepts nothing more from these peers and fails its pending requests to them; it does not wait, unlike
    /// <see cref="CoapPeer.ReleaseAsync"/>. A peer may connect again: revoke its credentials first, so that its handshake fails.
    /// </remarks>
    public static int Disconnect(this CoapEndpoint endpoint, Func<CoapPeer, bool> condition, string reason)
    {
        ArgumentNullException.ThrowIfNull(endpoint);
        ArgumentNullException.ThrowIfNull(condition);
        ArgumentException.ThrowIfNullOrEmpty(reason);
        return endpoint.Core.Peers.Disconnect(condition, reason);
    }
}
