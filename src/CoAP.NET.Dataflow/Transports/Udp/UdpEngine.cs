using System.Net.Sockets;

namespace CoAP.NET.Transports.Udp;

/// <summary>The engine of a <see cref="CoapUdpTransport"/>: its sockets and the way they are driven.</summary>
internal abstract class UdpEngine : TransportEngine
{
    private readonly RateLimitedLog _failing;

    protected UdpEngine(CoapTransport transport, ICoapDatagramTransportContext context, CoapUdpTransportOptions options)
    {
        Context = context;
        Transport = transport;
        _failing = new RateLimitedLog(context.TimeProvider);
        Receiving = new RateLimitedLog(context.TimeProvider);
        Options = options;
    }

    public ICoapDatagramTransportContext Context { get; }

    public abstract CoapSocketEngine Kind { get; }

    public CoapTransport Transport { get; }

    /// <summary>The groups of its sockets; null for none.</summary>
    protected UdpMemberships? Memberships { get; set; }

    /// <summary>Rate-limits the log message about failed receiving.</summary>
    public RateLimitedLog Receiving { get; }

    public CoapUdpTransportOptions Options { get; }

    /// <summary>Sends a datagram and takes it over. Does not throw.</summary>
    public abstract void Send(CoapDatagram datagram);

    /// <summary>Handles a datagram whose socket was lost.</summary>
    protected abstract void OnLost(CoapDatagram datagram, SocketException error);

    /// <summary>Counts and reports a datagram that did not leave, and disposes it.</summary>
    internal void Fail(CoapDatagram datagram, SocketException error)
    {
        Context.Counters.Add(CoapCounter.SendErrors);
        UdpLog.UdpSendFailed(Context.Logger, datagram.Remote, error.Message);
        if (_failing.IsDue())
        {
            UdpLog.UdpSendFailing(Context.Logger, datagram.Remote, error.Message);
        }

        Context.SendFailed(datagram, error);
        if (LostDescriptorErrors.Is(error))
        {
            OnLost(datagram, error);
        }

        datagram.Dispose();
    }
}
