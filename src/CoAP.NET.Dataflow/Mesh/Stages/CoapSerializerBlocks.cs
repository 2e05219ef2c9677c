using System.Threading.Tasks.Dataflow;

namespace CoAP.NET.Mesh;

/// <summary>The two blocks that take the place of the Serializer stage of one shard.</summary>
public sealed class CoapSerializerBlocks
{
    /// <summary>Makes the pair.</summary>
    /// <param name="inbound">From bytes to a message or a format error; or to nothing, for bytes that are ignored.</param>
    /// <param name="outbound">From a message to bytes; or to nothing, for a message that has no form.</param>
    public CoapSerializerBlocks(IPropagatorBlock<CoapDatagram, CoapInbound> inbound, IPropagatorBlock<CoapOutbound, CoapDatagram> outbound)
    {
        ArgumentNullException.ThrowIfNull(inbound);
        ArgumentNullException.ThrowIfNull(outbound);
        Inbound = inbound;
        Outbound = outbound;
    }

    /// <summary>From bytes to messages.</summary>
    public IPropagatorBlock<CoapDatagram, CoapInbound> Inbound { get; }

    /// <summary>From messages to bytes.</summary>
    public IPropagatorBlock<CoapOutbound, CoapDatagram> Outbound { get; }
}
