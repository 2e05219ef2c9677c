using CoAP.NET.Diagnostics;
using CoAP.NET.Transports;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Dtls.Transport;

/// <summary>The context that the sockets below see instead of the endpoint's: the same, except that they receive records.</summary>
/// <param name="engine">Receives the records.</param>
/// <param name="outer">The endpoint.</param>
/// <param name="index">The index of the sockets: 0 for those of the transport, which also drive its clock.</param>
internal sealed class DtlsSocketContext(DtlsEngine engine, ICoapSessionTransportContext outer, int index)
    : ICoapDatagramTransportContext, IDatagramPrefetchContext
{
    public TimeProvider TimeProvider => outer.TimeProvider;

    public CoapRandomSource Random => outer.Random;

    public CoapLimits Limits => outer.Limits;

    public CoapSourceGroupingRule Sources => outer.Sources;

    public CoapCounters Counters => outer.Counters;

    public void Count(CoapCounter counter, long by = 1) => outer.Count(counter, by);

    public ILogger Logger => outer.Logger;

    public CoapThreadScheduler Scheduler => outer.Scheduler;

    public int ShardCount => outer.ShardCount;

    public bool IsStopping => outer.IsStopping;

    public int ShardOf(CoapAddress remote) => outer.ShardOf(remote);

    public void Receive(CoapDatagram datagram) => engine.Receive(datagram, index);

    // The endpoint finds the peers of records by their sessions, not by the addresses of datagrams: there is nothing to prefetch.
    public void Expect(ReadOnlySpan<CoapDatagram> datagrams)
    {
    }

    // The handshake or the message layer retransmits lost datagrams; for a datagram that can never go out, the deadline of either ends the
    // attempt.
    public void SendFailed(CoapDatagram datagram, Exception error) => engine.OnSendFailed(datagram.Remote, error);

    public void PortUnreachable(CoapAddress remote, CoapAddress local, ReadOnlySpan<byte> quoted) =>
        engine.OnPortUnreachable(remote, index, quoted);

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
