using System.Net;
using CoAP.NET.Errors;
using CoAP.NET.Exchanges;

namespace CoAP.NET.Connecting;

/// <summary>The route of a request: to any of the addresses of a host, or to a peer that alone can reopen its connection.</summary>
internal sealed class ConnectionRoute : OutgoingRequestRoute
{
    private readonly CoapAddress[] _addresses;

    /// <summary>To a host.</summary>
    /// <param name="transport">The transport.</param>
    /// <param name="addresses">Its addresses, in the order in which they are tried.</param>
    /// <param name="serverName">Its name, where the transport tells it; otherwise null.</param>
    /// <param name="local">The address to leave from; null for what the system chooses.</param>
    public ConnectionRoute(CoapConnectionTransport transport, CoapAddress[] addresses, string? serverName, IPAddress? local = null)
    {
        Transport = transport;
        _addresses = addresses;
        ServerName = transport.ProvidesServerName ? serverName : null;
        Local = local;
    }

    /// <summary>To a peer that connected to us.</summary>
    public ConnectionRoute(CoapChannel only)
        : this(only.Connection!.Transport, [only.Remote], null) => Only = only;

    public CoapConnectionTransport Transport { get; }

    public string? ServerName { get; }

    public IPAddress? Local { get; }

    /// <summary>The only connection that will do; null when one may be opened.</summary>
    public CoapChannel? Only { get; }

    /// <summary>The progress of its connection when its request stopped waiting for it; null before that.</summary>
    public CoapConnectProgress? Progress { get; set; }

    /// <summary>How often the request looked for another connection because its own had ended before it was used.</summary>
    public int Moves { get; set; }

    /// <summary>Whether the request was sent once more because its connection had ended before the response came.</summary>
    public bool IsRepeated { get; set; }

    public ReadOnlySpan<CoapAddress> Addresses => _addresses;

    public ConnectionKey KeyOf(CoapAddress address) => new(Transport, address, ServerName, Local);

    /// <summary>Returns the target, human-readable.</summary>
    public override string ToString() =>
        _addresses.Length == 1 ? KeyOf(_addresses[0]).ToString() : $"{Transport.Scheme}://{ServerName ?? string.Join(", ", _addresses)}";
}
