using System.Threading.Tasks.Dataflow;
using CoAP.NET.Formats;

namespace CoAP.NET.Composition.Stages;

/// <summary>The four ends of the Serializer stage: of its two blocks, or of their replacement.</summary>
/// <param name="Datagrams">The entry of received bytes.</param>
/// <param name="Messages">The exit of decoded messages.</param>
/// <param name="Outgoing">The entry of messages to send.</param>
/// <param name="Encoded">The exit of encoded bytes.</param>
internal sealed record SerializerStage(
    ITargetBlock<CoapDatagram> Datagrams, ISourceBlock<CoapInbound> Messages, ITargetBlock<CoapOutbound> Outgoing,
    ISourceBlock<CoapDatagram> Encoded)
{
    /// <summary>Creates the stage. A replacement of the application is linked to a check of its results.</summary>
    public static SerializerStage Make(
        CoapSerializerStageBlocks? own, CoapStageContext context, CoapEnvironment environment, MeshWiring wiring)
    {
        if (own is null)
        {
            return new SerializerStage(context.Reader, context.Reader, context.Writer, context.Writer);
        }

        UserSerializerInboundCheck messages = new(environment);
        UserSerializerOutboundCheck encoded = new(environment);
        wiring.LinkWithin(own.Inbound, messages, CoapStages.Serializer.Name);
        wiring.LinkWithin(own.Outbound, encoded, CoapStages.Serializer.Name);
        return new SerializerStage(own.Inbound, messages, own.Outbound, encoded);
    }
}
