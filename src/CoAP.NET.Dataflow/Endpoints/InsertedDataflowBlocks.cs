using System.Threading.Tasks.Dataflow;
using CoAP.NET.Composition.Stages;

namespace CoAP.NET.Endpoints;

/// <summary>The blocks that were inserted into a running endpoint, one for each shard. Disposal removes them.</summary>
internal sealed class InsertedDataflowBlocks<T> : IAsyncDisposable
{
    private readonly EndpointCore _core;
    private readonly TimeSpan _gracePeriod;
    private readonly List<(CoapShardPipeline Pipeline, IPropagatorBlock<T, T> Block)> _blocks = [];

    public InsertedDataflowBlocks(EndpointCore core, TimeSpan gracePeriod, CoapStageLink<T> link, Func<IPropagatorBlock<T, T>> factory)
    {
        _core = core;
        _gracePeriod = gracePeriod;

        // All of them before the first is linked: a factory that throws leaves the endpoint as it was.
        foreach (CoapShardPipeline pipeline in core.Pipelines)
        {
            _blocks.Add((pipeline, factory()
                ?? throw new InvalidOperationException($"The factory of the block at the link {link} returned null. Return a new block.")));
        }

        foreach ((CoapShardPipeline pipeline, IPropagatorBlock<T, T> block) in _blocks)
        {
            pipeline.Insert(block, link);
        }
    }

    public async ValueTask DisposeAsync()
    {
        using StopDeadline time = new(_core.Environment.TimeProvider, _gracePeriod, CancellationToken.None);
        await Task.WhenAll(_blocks.Select(inserted => inserted.Pipeline.RemoveAsync(inserted.Block, time))).ConfigureAwait(false);
    }
}
