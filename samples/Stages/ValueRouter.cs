using System.Collections.Concurrent;
using System.Threading.Tasks.Dataflow;
using CoAP.NET;

namespace Stages;

/// <summary>A Resource stage: a router in place of routes. It is a table of values under whatever path they were put.</summary>
public sealed class ValueRouter
{
    private readonly ConcurrentDictionary<string, string> _values = new();

    /// <summary>Makes the stage of a shard, which serves four requests at a time.</summary>
    public IPropagatorBlock<CoapExchange, CoapServerReply> Make() => new TransformBlock<CoapExchange, CoapServerReply>(
        exchange => new CoapServerReply(exchange, Answer(exchange.Request)),
        new ExecutionDataflowBlockOptions { MaxDegreeOfParallelism = 4, EnsureOrdered = false, BoundedCapacity = 1_000 });

    // Nothing that it throws may leave the block: that would fault the server.
    private CoapResult Answer(CoapRequestContext request)
    {
        switch (request.Method)
        {
            case CoapMethod.Put:
                _values[request.Path] = request.GetText();
                return CoapResults.Changed();
            case CoapMethod.Get:
                return _values.TryGetValue(request.Path, out string? value) ? CoapResults.Text(value) : CoapResults.NotFound();
            default:
                return CoapResults.MethodNotAllowed();
        }
    }
}
