using System.Net;
using CoAP.NET.Transports;

namespace CoAP.NET.Connecting;

/// <summary>What a connection is opened to. Requests with equal keys share one.</summary>
/// <param name="Transport">The transport, and with it the scheme.</param>
/// <param name="Remote">The address.</param>
/// <param name="ServerName">The host name that a secure transport tells and checks; null for an address, and where nothing is told.</param>
/// <param name="Local">The address that it leaves from; null for what the system chooses.</param>
internal readonly record struct ConnectionKey(CoapConnectionTransport Transport, CoapAddress Remote, string? ServerName, IPAddress? Local)
{
    /// <summary>Scheme and address, with the name if there is one.</summary>
    public override string ToString() =>
        ServerName is null ? $"{Transport.Scheme}://{Remote}" : $"{Transport.Scheme}://{Remote} ({ServerName})";
}
