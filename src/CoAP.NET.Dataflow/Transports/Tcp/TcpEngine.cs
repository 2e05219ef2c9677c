using System.Net;
using CoAP.NET.Errors;

namespace CoAP.NET.Transports.Tcp;

/// <summary>The engine of a <see cref="CoapTcpTransport"/>: its listening sockets and connections, and the way they are driven.</summary>
internal abstract class TcpEngine : TransportEngine
{
    protected TcpEngine(CoapTcpTransport transport, ICoapStreamTransportContext context, CoapTcpTransportOptions options)
    {
        Context = context;
        Transport = transport;
        Options = options;
    }

    public ICoapStreamTransportContext Context { get; }

    public abstract CoapSocketEngine Kind { get; }

    public CoapTcpTransport Transport { get; }

    public CoapTcpTransportOptions Options { get; }

    public abstract CoapConnectProgress? ProgressOf(CoapAddress remote, string? serverName);

    /// <summary>See <see cref="CoapConnectionTransport.ConnectAsync"/>. The engine applies the time limit.</summary>
    public abstract ValueTask<CoapConnection> ConnectAsync(CoapAddress remote, IPAddress? local, string? serverName,
        CancellationToken cancellationToken);
}
