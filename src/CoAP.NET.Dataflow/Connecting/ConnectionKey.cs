using System.Net;

namespace CoAP.NET.Connecting;

/// <summary>The target of a connection. Requests with equal keys share a connection.</summary>
/// <param name="Transport">The transport, and with it the scheme.</param>
/// <param name="Remote">The address.</param>
/// <param name="ServerName">The host name that a secure transport sends and validates; null for an address, or without a name.</param>
/// <param name="Local">The local address; null to let the system choose.</param>
internal readonly record struct ConnectionKey(CoapConnectionTransport Transport, CoapAddress Remote, string? ServerName, IPAddress? Local)
{
    /// <summary>Scheme and address, with the name if there is one.</summary>
    public override string ToString() =>
        ServerName is null || Remote.IsAny
            ? $"{Transport.Scheme}://{Remote.ToString(ServerName)}"
            : $"{Transport.Scheme}://{Remote} ({ServerName})";
}
