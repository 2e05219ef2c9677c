using CoAP.NET.Transports;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Dtls.Transport;

/// <summary>What the sockets below see instead of the endpoint: the same, but that what they receive are records.</summary>
/// <param name="engine">Takes the records.</param>
/// <param name="outer">The endpoint.</param>
/// <param name="index">Which sockets they are: 0 for those of the transport, which also drive its clock.</param>
internal sealed class DtlsContext(DtlsEngine engine, CoapTransportContext outer, int index) : CoapTransportContext
{
    public override TimeProvider TimeProvider => outer.TimeProvider;

    public override CoapRandomSource Random => outer.Random;

    public override CoapLimits Limits => outer.Limits;

    internal override SourceRule Sources => outer.Sources;

    public override CoapCounters Counters => outer.Counters;

    public override ILogger Logger => outer.Logger;

    public override int ShardCount => outer.ShardCount;

    public override CoapScheduler Scheduler => outer.Scheduler;

    public override int ShardOf(CoapAddress remote) => outer.ShardOf(remote);

    public override void Receive(CoapDatagram datagram) => engine.Receive(datagram, index);

    // What was lost is sent again, by the handshake or by the message layer; what cannot ever be sent ends by the deadline of the one or the other.
    public override void SendFailed(CoapDatagram datagram, Exception error) => engine.OnSendFailed(datagram.Remote, error);

    public override void PortUnreachable(CoapAddress remote, CoapAddress local, ReadOnlySpan<byte> quoted) => engine.OnPortUnreachable(remote, index);

    public override TimeSpan Tick()
    {
        if (index > 0)
        {
            return Timeout.InfiniteTimeSpan;
        }

        TimeSpan next = outer.Tick();
        TimeSpan own = engine.Tick();
        return next == Timeout.InfiniteTimeSpan || own < next ? own : next;
    }

    internal override void Fault(CoapException error) => outer.Fault(error);
}
