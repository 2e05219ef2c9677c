using System.Net;
using CoAP.NET.Connecting;

namespace CoAP.NET;

/// <summary>How an endpoint sends and receives: sockets, connections, transports of your own.</summary>
/// <remarks>
/// The group <see cref="CoapEndpointOptions.Transports"/>. Read-only once an endpoint uses it.
/// </remarks>
[HasSettings]
public sealed partial class CoapTransportOptions
{
    internal CoapTransportOptions()
    {
    }

    /// <summary>
    /// The number of shards that the peers are distributed over, each with its own lock and, on Linux, its own receive loop.
    /// </summary>
    [NumberRange(1, 64)]
    public partial int Shards { get; set; } = 1;

    /// <summary>The engine of UDP sockets.</summary>
    /// <remarks>Default: the fastest that works here.</remarks>
    public partial CoapSocketEngine UdpEngine { get; set; } = CoapSocketEngine.Auto;

    /// <summary>The engine of TCP sockets.</summary>
    /// <remarks>Default: the fastest that works here.</remarks>
    public partial CoapSocketEngine TcpEngine { get; set; }

    /// <summary>The options of connections of reliable transports (RFC 8323).</summary>
    public partial CoapStreamOptions Streams { get; set; } = new();

    /// <summary>The options of WebSockets, for <c>coap+ws</c> and <c>coaps+ws</c>.</summary>
    public partial CoapWebSocketOptions WebSockets { get; set; } = new();

    /// <summary>
    /// Factories of transports for schemes that the library does not implement itself, such as <c>coaps</c> (package CoAP.NET.Dtls).
    /// </summary>
    /// <remarks>Default: none.</remarks>
    public IList<ICoapTransportFactory> Factories { get; } = new SettingList<ICoapTransportFactory>();

    /// <summary>Resolves a host name to addresses.</summary>
    /// <remarks>
    /// Default: the resolver of the operating system, on a thread of the library. At most 16 names are looked up at a time for the
    /// clients of a proxy. In a browser it is not called: the browser resolves the name when it opens the WebSocket.
    /// </remarks>
    public partial Func<string, CancellationToken, Task<IPAddress[]>> ResolveHost { get; set; } = CoapNameResolver.OfSystemAsync;
}
