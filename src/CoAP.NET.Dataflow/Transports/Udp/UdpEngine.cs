using System.Net.Sockets;

namespace CoAP.NET.Transports;

/// <summary>What stands behind a <see cref="CoapUdpTransport"/>: the sockets of one transport and the way they are driven.</summary>
internal abstract class UdpEngine : TransportEngine
{
    protected UdpEngine(CoapTransport transport, CoapTransportContext context, CoapUdpTransportOptions options)
        : base(context)
    {
        Transport = transport;
        Options = options;
    }

    public abstract CoapUdpEngine Kind { get; }

    public CoapTransport Transport { get; }

    public CoapUdpTransportOptions Options { get; }

    /// <summary>Sends and takes over. Does not throw.</summary>
    public abstract void Send(CoapDatagram datagram);

    /// <summary>Counts a datagram that did not leave, says so, and gives it back.</summary>
    internal void Fail(CoapDatagram datagram, SocketException error)
    {
        Context.Counters.Add(CoapCounter.SendErrors);
        Log.UdpSendFailed(Context.Logger, datagram.Remote, error.Message);
        Context.SendFailed(datagram, error);
        datagram.Dispose();
    }
}
