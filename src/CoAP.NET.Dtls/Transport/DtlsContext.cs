using CoAP.NET.Transports;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Dtls.Transport;

/// <summary>What the sockets below see instead of the endpoint: the same, but that what they receive are records.</summary>
/// <param name="engine">Takes the records.</param>
/// <param name="outer">The endpoint.</param>
/// <param name="index">Which sockets they are: 0 for those of the transport, which also drive its clock.</param>
internal sealed class DtlsContext(DtlsEngine engine, ICoapSessionContext outer, int index) : ICoapDatagramContext
{
    public TimeProvider TimeProvider => outer.TimeProvider;

    public CoapRandomSource Random => outer.Random;

    public CoapLimits Limits => outer.Limits;

    public CoapSourceRule Sources => outer.Sources;

    public CoapCounters Counters => outer.Counters;

    public ILogger Logger => outer.Logger;

    public CoapScheduler Scheduler => outer.Scheduler;

    public int ShardCount => outer.ShardCount;

    public bool IsStopping => outer.IsStopping;

    public int ShardOf(CoapAddress remote) => outer.ShardOf(remote);

    public void Receive(CoapDatagram datagram) => engine.Receive(datagram, index);

    // The endpoint knows the peers of records by their sessions, not by the addresses that datagrams come from: there is nothing to fetch.
    public void Expect(ReadOnlySpan<CoapDatagram> datagrams)
    {
    }

    // What was lost is sent again, by the handshake or by the message layer; what can never be sent ends by the deadline of the one or the
    // other.
    public void SendFailed(CoapDatagram datagram, Exception error) => engine.OnSendFailed(datagram.Remote, error);

    public void PortUnreachable(CoapAddress remote, CoapAddress local, ReadOnlySpan<byte> quoted) =>
        engine.OnPortUnreachable(remote, index);

    public TimeSpan Tick()
    {
        if (index > 0)
        {
            return Timeout.InfiniteTimeSpan;
        }

        TimeSpan next = outer.Tick();
        TimeSpan own = engine.Clock.Tick();
        return next == Timeout.InfiniteTimeSpan ? own : own == Timeout.InfiniteTimeSpan || next < own ? next : own;
    }

    public void Fault(CoapException error) => outer.Fault(error);
}
