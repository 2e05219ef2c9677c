using CoAP.NET.Pipeline;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.Benchmarks;

/// <summary>A stage that passes on what it gets plus one.</summary>
internal sealed class AddOneBlock() : InlineBlock<int, int>(new CoapCounters(), NullLogger.Instance)
{
    private protected override void Process(int item) => Offer(item + 1);
}

/// <summary>The end of a path: adds up what it gets.</summary>
internal sealed class SumTarget() : InlineTarget<int>(new CoapCounters(), NullLogger.Instance)
{
    public long Sum { get; set; }

    private protected override void Process(int item) => Sum += item;
}
