using System.Threading.Tasks.Dataflow;
using CoAP.NET.Channels;

namespace CoAP.NET.Composition.Stages;

/// <summary>The four ends of the Channel stage: of its two blocks, or of their replacement.</summary>
/// <param name="Received">The entry of received datagrams.</param>
/// <param name="Attached">The exit of datagrams with their channel.</param>
/// <param name="Outgoing">The entry of datagrams to send.</param>
/// <param name="Addressed">The exit of addressed datagrams.</param>
internal sealed record ChannelStagePorts(
    ITargetBlock<CoapDatagram> Received, ISourceBlock<CoapDatagram> Attached, ITargetBlock<CoapDatagram> Outgoing,
    ISourceBlock<CoapDatagram> Addressed)
{
    /// <summary>Creates the stage.</summary>
    /// <param name="own">The blocks of the application; null for none.</param>
    /// <param name="inbound">The inbound block of the library.</param>
    /// <param name="outbound">The outbound block of the library.</param>
    /// <param name="wiring">Links the blocks.</param>
    public static ChannelStagePorts Make(
        CoapChannelStageBlocks? own, ChannelInboundBlock inbound, ChannelOutboundBlock outbound, MeshWiring wiring)
    {
        if (own is null)
        {
            return new ChannelStagePorts(inbound, inbound, outbound, outbound);
        }

        // They keep what the blocks leave as it is: a datagram with its channel, or with its address.
        wiring.LinkWithin(own.Inbound, inbound, CoapStages.Channel.Name);
        return new ChannelStagePorts(own.Inbound, inbound, own.Outbound, own.Outbound);
    }
}
