using CoAP.NET.Transports;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Dtls.Transport;

/// <summary>What the sockets below see instead of the endpoint: the same, but that what they receive are records.</summary>
internal sealed class DtlsContext(DtlsEngine engine, CoapTransportContext outer) : CoapTransportContext
{
    public override TimeProvider TimeProvider => outer.TimeProvider;

    public override CoapRandomSource Random => outer.Random;

    public override CoapLimits Limits => outer.Limits;

    public override CoapCounters Counters => outer.Counters;

    public override ILogger Logger => outer.Logger;

    public override int ShardCount => outer.ShardCount;

    public override CoapScheduler Scheduler => outer.Scheduler;

    public override int ShardOf(CoapAddress remote) => outer.ShardOf(remote);

    public override void Receive(CoapDatagram datagram) => engine.Receive(datagram);

    // What was lost is sent again, by the handshake or by the message layer; what cannot ever be sent ends by the deadline of the one or the other.
    public override void SendFailed(CoapDatagram datagram, Exception error) => engine.OnSendFailed(datagram.Remote, error);

    public override void PortUnreachable(CoapAddress remote, CoapAddress local, ReadOnlySpan<byte> quoted) => engine.OnPortUnreachable(remote);

    public override TimeSpan Tick()
    {
        TimeSpan next = outer.Tick();
        TimeSpan own = engine.Tick();
        return next == Timeout.InfiniteTimeSpan || own < next ? own : next;
    }

    internal override void Fault(CoapException error) => outer.Fault(error);
}
