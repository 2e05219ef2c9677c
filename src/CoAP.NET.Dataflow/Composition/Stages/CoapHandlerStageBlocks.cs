using System.Threading.Tasks.Dataflow;

namespace CoAP.NET;

/// <summary>
/// The two blocks of the Handler stage of one shard: those of the library (<see cref="CoapStageContext.Handler"/>), or those that replace
/// them (<see cref="CoapStages.Handler"/>).
/// </summary>
public sealed class CoapHandlerStageBlocks
{
    /// <summary>Creates the pair.</summary>
    /// <param name="inbound">Turns messages of peers into requests to serve. It produces nothing for most other messages.</param>
    /// <param name="outbound">Turns the answers into messages.</param>
    public CoapHandlerStageBlocks(
        IPropagatorBlock<CoapInbound, CoapExchange> inbound, IPropagatorBlock<CoapServerReply, CoapOutbound> outbound)
    {
        ArgumentNullException.ThrowIfNull(inbound);
        ArgumentNullException.ThrowIfNull(outbound);
        Inbound = inbound;
        Outbound = outbound;
    }

    /// <summary>Turns messages of peers into requests to serve.</summary>
    public IPropagatorBlock<CoapInbound, CoapExchange> Inbound { get; }

    /// <summary>Turns answers into messages.</summary>
    public IPropagatorBlock<CoapServerReply, CoapOutbound> Outbound { get; }
}
