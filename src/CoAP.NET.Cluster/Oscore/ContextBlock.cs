using CoAP.NET.Mesh;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.Cluster;

/// <summary>Shows the datagrams at a seam to the steering, which may take them.</summary>
/// <param name="take">Returns whether it has dealt with a datagram; otherwise the datagram passes.</param>
internal sealed class ContextBlock(Func<CoapDatagram, bool> take)
    : InlineBlock<CoapDatagram, CoapDatagram>(new CoapCounters(), NullLogger.Instance)
{
    internal override void Process(CoapDatagram item)
    {
        if (take(item))
        {
            item.Dispose();
        }
        else
        {
            Offer(item);
        }
    }
}
