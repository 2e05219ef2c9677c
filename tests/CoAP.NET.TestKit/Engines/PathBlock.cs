using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.Tests.Engines;

/// <summary>
/// Loses some of what passes between an endpoint and its transport, on the thread that brought it, so that threads and clocks are those of
/// the engine.
/// </summary>
internal sealed class PathBlock(Func<CoapDatagram, bool> loses)
    : InlineBlock<CoapDatagram, CoapDatagram>(new CoapCounters(), NullLogger.Instance)
{
    internal override void Process(CoapDatagram item)
    {
        if (loses(item))
        {
            item.Dispose();
        }
        else
        {
            Offer(item);
        }
    }
}
