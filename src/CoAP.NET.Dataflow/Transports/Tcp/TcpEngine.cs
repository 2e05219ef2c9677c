using System.Net;

namespace CoAP.NET.Transports;

/// <summary>
/// What stands behind a <see cref="CoapTcpTransport"/>: its listening sockets, its connections and the way they are driven.
/// </summary>
internal abstract class TcpEngine : TransportEngine
{
    protected TcpEngine(CoapTcpTransport transport, ICoapStreamContext context, CoapTcpTransportOptions options)
    {
        Context = context;
        Transport = transport;
        Options = options;
    }

    /// <summary>What the endpoint gave the transport.</summary>
    public ICoapStreamContext Context { get; }

    public abstract CoapTcpEngine Kind { get; }

    public CoapTcpTransport Transport { get; }

    public CoapTcpTransportOptions Options { get; }

    /// <summary>See <see cref="CoapConnectionTransport.ProgressOf"/>.</summary>
    public abstract CoapConnectProgress? ProgressOf(CoapAddress remote, string? serverName);

    /// <summary>See <see cref="CoapConnectionTransport.ConnectAsync"/>. The time limit is kept here.</summary>
    public abstract ValueTask<CoapConnection> ConnectAsync(CoapAddress remote, IPAddress? local, string? serverName,
        CancellationToken cancellationToken);
}
