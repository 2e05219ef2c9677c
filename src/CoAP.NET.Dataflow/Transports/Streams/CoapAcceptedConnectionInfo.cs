using System.Net;

namespace CoAP.NET;

/// <summary>
/// Describes a connection that an application, such as a web server, accepted and hands to an endpoint
/// (<see cref="CoapEndpoint.AcceptWebSocketAsync"/>, <see cref="CoapEndpoint.AcceptStreamAsync"/>).
/// </summary>
public sealed class CoapAcceptedConnectionInfo
{
    /// <summary>
    /// The peer's address. Limits such as <see cref="CoapConnectionLimits.MaxCountPerSource"/> use it. Default <c>0.0.0.0:0</c>: unknown.
    /// </summary>
    public IPEndPoint Remote { get; init; } = new(IPAddress.Any, 0);

    /// <summary>The local address. Default <c>0.0.0.0:0</c>: unknown.</summary>
    public IPEndPoint Local { get; init; } = new(IPAddress.Any, 0);

    /// <summary>Whether TLS protects the connection, so its scheme is <c>coaps+ws</c> or <c>coaps+tcp</c>. Default false.</summary>
    public bool IsSecure { get; init; }

    /// <summary>The proven identity of the peer, which <see cref="CoapPeer.Identity"/> returns. Default null: unknown.</summary>
    /// <remarks>The endpoint disposes the certificate of a <see cref="CoapTlsPeerIdentity"/> when the connection has ended.</remarks>
    public ICoapPeerIdentity? Identity { get; init; }

    /// <summary>The host that the client requested with a Host header or Server Name Indication. Default null: the local address.</summary>
    /// <remarks>Requests without Uri-Host refer to it (RFC 8323 section 8.5).</remarks>
    public string? ServerName { get; init; }

    /// <summary>Immediately closes the underlying connection, if the handed-over object cannot do so. Default null.</summary>
    /// <remarks>
    /// The endpoint calls it when the connection does not end in order, and possibly also when it does. It must not throw.
    /// </remarks>
    public Action? Abort { get; init; }
}
