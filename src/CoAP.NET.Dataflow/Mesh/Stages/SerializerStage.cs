using System.Threading.Tasks.Dataflow;
using CoAP.NET.Serialization;

namespace CoAP.NET.Mesh;

/// <summary>The four ends of the Serializer stage: of its two blocks, or of what a user put in their place.</summary>
/// <param name="Datagrams">Where bytes come in.</param>
/// <param name="Messages">Where messages leave upwards.</param>
/// <param name="Outgoing">Where messages come in from above.</param>
/// <param name="Encoded">Where bytes leave.</param>
internal sealed record SerializerStage(
    ITargetBlock<CoapDatagram> Datagrams, ISourceBlock<CoapInbound> Messages, ITargetBlock<CoapOutbound> Outgoing,
    ISourceBlock<CoapDatagram> Encoded)
{
    /// <summary>Makes the stage; what a user gave is linked to a check of what it gives.</summary>
    public static SerializerStage Make(CoapSerializerBlocks? own, CoapEnvironment environment, PipelineParts parts, MeshWiring wiring)
    {
        if (own is null)
        {
            SerializerInbound inbound = new(environment, parts.Formats);
            SerializerOutbound outbound = new(environment, parts.Formats, parts.Buffers);
            return new SerializerStage(inbound, inbound, outbound, outbound);
        }

        SerializerInboundCheck messages = new(environment);
        SerializerOutboundCheck encoded = new(environment);
        wiring.LinkWithin(own.Inbound, messages, CoapStages.Serializer.Name);
        wiring.LinkWithin(own.Outbound, encoded, CoapStages.Serializer.Name);
        return new SerializerStage(own.Inbound, messages, own.Outbound, encoded);
    }
}
