using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.Simulation.Simulate;

/// <summary>A block between two stages that looks at what passes, or puts something else in its place; null swallows it.</summary>
/// <param name="process">What is done.</param>
/// <param name="logger">The log of the endpoint, for what is thrown; null for none.</param>
internal sealed class StageLinkBlock<T>(Func<T, T?> process, ILogger? logger = null)
    : InlineBlock<T, T>(new CoapCounters(), logger ?? NullLogger.Instance)
    where T : class
{
    internal override void Process(T item)
    {
        if (process(item) is { } result)
        {
            Offer(result);
        }
    }
}
