using System.Net;

namespace CoAP.NET.Transports;

/// <summary>
/// What is known of a connection that somebody else accepted, such as a web server, when it is handed to an endpoint
/// (<see cref="CoapEndpoint.AcceptWebSocketAsync"/>, <see cref="CoapEndpoint.AcceptStreamAsync"/>).
/// </summary>
public sealed class CoapAcceptedConnection
{
    /// <summary>
    /// The peer's address; bounds such as <see cref="CoapLimits.MaxConnectionsPerAddress"/> count by it. Default <c>0.0.0.0:0</c>, not
    /// known.
    /// </summary>
    public IPEndPoint Remote { get; init; } = new(IPAddress.Any, 0);

    /// <summary>Our address. Default <c>0.0.0.0:0</c>, not known.</summary>
    public IPEndPoint Local { get; init; } = new(IPAddress.Any, 0);

    /// <summary>Whether TLS protects it, so that the scheme is <c>coaps+ws</c> or <c>coaps+tcp</c>. Default false.</summary>
    public bool IsSecure { get; init; }

    /// <summary>
    /// Who the peer is, as it was proven: what <see cref="CoapPeer.Identity"/> gives. The certificate of a <see cref="CoapTlsIdentity"/> is
    /// disposed when the connection has ended. Default null: nobody knows.
    /// </summary>
    public object? Identity { get; init; }

    /// <summary>
    /// The host that the client asked for, by a Host header or Server Name Indication: what requests without Uri-Host mean (RFC 8323
    /// section 8.5). Default null: our address.
    /// </summary>
    public string? ServerName { get; init; }

    /// <summary>
    /// Closes what lies below at once, where that cannot be told from what was handed over. Called when the connection ends otherwise than
    /// in order, and maybe then, too. Must not throw. Default null.
    /// </summary>
    public Action? Abort { get; init; }
}
