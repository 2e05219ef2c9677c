using System.Net;
using CoAP.NET.Errors;
using CoAP.NET.Exchanges;

namespace CoAP.NET.Connecting;

/// <summary>The route of a request: any address of a host, or one connection that only its peer can open again.</summary>
internal sealed class ConnectionRoute : OutgoingRequestRoute
{
    private readonly CoapAddress[] _addresses;

    /// <summary>Creates a route to a host.</summary>
    /// <param name="transport">The transport.</param>
    /// <param name="addresses">Its addresses, in the order in which they are tried.</param>
    /// <param name="serverName">Its name, if the transport sends one; otherwise null.</param>
    /// <param name="local">The local address; null to let the system choose.</param>
    public ConnectionRoute(CoapConnectionTransport transport, CoapAddress[] addresses, string? serverName, IPAddress? local = null)
    {
        Transport = transport;
        _addresses = addresses;
        ServerName = transport.ProvidesServerName ? serverName : null;
        Local = local;
    }

    /// <summary>Creates a route to a peer that opened the connection.</summary>
    public ConnectionRoute(CoapChannel only)
        : this(only.Connection!.Transport, [only.Remote], null) => Only = only;

    public CoapConnectionTransport Transport { get; }

    public string? ServerName { get; }

    public IPAddress? Local { get; }

    /// <summary>The only usable connection; null if the endpoint may open one.</summary>
    public CoapChannel? Only { get; }

    /// <summary>The progress of its connection when its request stopped waiting for it; null before that.</summary>
    public CoapConnectProgress? Progress { get; set; }

    /// <summary>Number of times that the connection of the request ended before it was used.</summary>
    public int Moves { get; set; }

    /// <summary>Whether the request was sent again because its connection ended before the response arrived.</summary>
    public bool IsRepeated { get; set; }

    public ReadOnlySpan<CoapAddress> Addresses => _addresses;

    public ConnectionKey KeyOf(CoapAddress address) => new(Transport, address, ServerName, Local);

    /// <summary>Returns the target, human-readable.</summary>
    public override string ToString() =>
        _addresses.Length == 1 ? KeyOf(_addresses[0]).ToString() : $"{Transport.Scheme}://{ServerName ?? string.Join(", ", _addresses)}";
}
