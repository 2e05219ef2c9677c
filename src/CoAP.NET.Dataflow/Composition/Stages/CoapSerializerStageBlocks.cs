using System.Threading.Tasks.Dataflow;

namespace CoAP.NET;

/// <summary>The two blocks that replace the Serializer stage of one shard.</summary>
public sealed class CoapSerializerStageBlocks
{
    /// <summary>Creates the pair.</summary>
    /// <param name="inbound">Decodes bytes into a message or a format error. It may produce nothing for bytes that it ignores.</param>
    /// <param name="outbound">Encodes a message into bytes. It may produce nothing for a message that the format cannot express.</param>
    public CoapSerializerStageBlocks(
        IPropagatorBlock<CoapDatagram, CoapInbound> inbound, IPropagatorBlock<CoapOutbound, CoapDatagram> outbound)
    {
        ArgumentNullException.ThrowIfNull(inbound);
        ArgumentNullException.ThrowIfNull(outbound);
        Inbound = inbound;
        Outbound = outbound;
    }

    /// <summary>Decodes bytes into messages.</summary>
    public IPropagatorBlock<CoapDatagram, CoapInbound> Inbound { get; }

    /// <summary>Encodes messages into bytes.</summary>
    public IPropagatorBlock<CoapOutbound, CoapDatagram> Outbound { get; }
}
