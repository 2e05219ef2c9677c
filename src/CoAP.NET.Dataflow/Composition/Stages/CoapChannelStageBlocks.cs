using System.Threading.Tasks.Dataflow;

namespace CoAP.NET;

/// <summary>The two blocks that replace the Channel stage of one shard (<see cref="CoapStages.Channel"/>).</summary>
public sealed class CoapChannelStageBlocks
{
    /// <summary>Creates the pair.</summary>
    /// <param name="inbound">Sets the channel of a received datagram. It may drop a datagram that belongs to no channel.</param>
    /// <param name="outbound">Addresses a datagram to the peer of its channel.</param>
    public CoapChannelStageBlocks(
        IPropagatorBlock<CoapDatagram, CoapDatagram> inbound, IPropagatorBlock<CoapDatagram, CoapDatagram> outbound)
    {
        ArgumentNullException.ThrowIfNull(inbound);
        ArgumentNullException.ThrowIfNull(outbound);
        Inbound = inbound;
        Outbound = outbound;
    }

    /// <summary>Sets the channel of each received datagram.</summary>
    public IPropagatorBlock<CoapDatagram, CoapDatagram> Inbound { get; }

    /// <summary>Addresses each datagram to the peer of its channel.</summary>
    public IPropagatorBlock<CoapDatagram, CoapDatagram> Outbound { get; }
}
