using System.Threading.Tasks.Dataflow;
using CoAP.NET;

namespace Stages;

/// <summary>
/// A Handler stage for a gateway whose line is down now and then: it stores requests meanwhile, and forwards them in order when the line is
/// up. The Handler of the library, which it contains, acknowledges them, so their clients wait for the response and repeat nothing. Answers
/// pass at once.
/// </summary>
public sealed class StoreAndForward
{
    private TaskCompletionSource _line = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>How many requests are stored at most. The client of one more gets 5.03.</summary>
    public int Capacity { get; init; } = 1_000;

    /// <summary>Makes the stage of a shard.</summary>
    public CoapHandlerStageBlocks Make(CoapStageContext shard)
    {
        TransformManyBlock<CoapExchange, CoapExchange> store = new(StoreAsync, new() { BoundedCapacity = Capacity });
        shard.Handler.Inbound.LinkTo(store, new() { PropagateCompletion = true });
        return new CoapHandlerStageBlocks(DataflowBlock.Encapsulate(shard.Handler.Inbound, store), shard.Handler.Outbound);
    }

    /// <summary>The line is up: forwards what is stored.</summary>
    public void Up() => _line.TrySetResult();

    /// <summary>The line is down: stores from now on.</summary>
    public void Down()
    {
        if (_line.Task.IsCompleted)
        {
            _line = new(TaskCreationOptions.RunContinuationsAsynchronously);
        }
    }

    private async Task<IEnumerable<CoapExchange>> StoreAsync(CoapExchange exchange)
    {
        await _line.Task;
        return [exchange];
    }
}
