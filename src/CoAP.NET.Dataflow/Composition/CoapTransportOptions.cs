using System.Net;
using CoAP.NET.Connecting;

namespace CoAP.NET;

/// <summary>How an endpoint sends and receives: sockets, connections, transports of your own.</summary>
/// <remarks>
/// The group <see cref="CoapEndpointOptions.Transports"/>. Mutable; the endpoint copies what it needs when it is created.
/// </remarks>
public sealed class CoapTransportOptions
{
    internal CoapTransportOptions()
    {
    }

    /// <summary>
    /// The number of shards that the peers are distributed over, each with its own lock and, on Linux, its own receive loop.
    /// </summary>
    /// <remarks>Default 1; 1 to 64.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 to 64.</exception>
    public int Shards
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 1);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, 64);
            field = value;
        }
    }
    = 1;

    /// <summary>The engine of UDP sockets.</summary>
    /// <remarks>Default: the fastest that works here.</remarks>
    public CoapSocketEngine UdpEngine { get; set; } = CoapSocketEngine.Auto;

    /// <summary>The engine of TCP sockets.</summary>
    /// <remarks>Default: the fastest that works here.</remarks>
    public CoapSocketEngine TcpEngine { get; set; }

    /// <summary>The options of connections of reliable transports (RFC 8323).</summary>
    public CoapStreamOptions Streams { get; set => field = ValueGuard.NotNull(value); } = new();

    /// <summary>The options of WebSockets, for <c>coap+ws</c> and <c>coaps+ws</c>.</summary>
    public CoapWebSocketOptions WebSockets { get; set => field = ValueGuard.NotNull(value); } = new();

    /// <summary>
    /// Factories of transports for schemes that the library does not implement itself, such as <c>coaps</c> (package CoAP.NET.Dtls).
    /// </summary>
    /// <remarks>Read when the endpoint is created. Default: none.</remarks>
    public IList<ICoapTransportFactory> Factories { get; } = [];

    /// <summary>Resolves a host name to addresses.</summary>
    /// <remarks>
    /// Default: the resolver of the operating system, on a thread of the library. At most 16 names are looked up at a time for the
    /// clients of a proxy. In a browser it is not called: the browser resolves the name when it opens the WebSocket.
    /// </remarks>
    public Func<string, CancellationToken, Task<IPAddress[]>> ResolveHost { get; set => field = ValueGuard.NotNull(value); } =
        CoapNameResolver.OfSystemAsync;
}
