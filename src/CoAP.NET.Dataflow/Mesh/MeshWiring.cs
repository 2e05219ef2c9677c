using System.Threading.Tasks.Dataflow;

namespace CoAP.NET.Mesh;

/// <summary>
/// Links the blocks of one shard, with those of users between them, and knows how they end: by completion, which the links pass on from the first block
/// to the last, or abandoned. A block of a user that ends before is an error of the endpoint.
/// </summary>
internal sealed class MeshWiring
{
    private static readonly DataflowLinkOptions s_propagate = new() { PropagateCompletion = true };

    private readonly CoapShard _shard;
    private readonly CoapPipelineOptions _options;
    private readonly InlineNode _first;
    private readonly InlineNode _last;
    private readonly List<MeshLink> _links = [];
    private bool _isEnding;

    /// <param name="shard">Whose blocks they are.</param>
    /// <param name="options">What users put between them.</param>
    /// <param name="first">Where the path begins.</param>
    /// <param name="last">Where it ends.</param>
    public MeshWiring(CoapShard shard, CoapPipelineOptions options, InlineNode first, InlineNode last)
    {
        _shard = shard;
        _options = options;
        _first = first;
        _last = last;
    }

    /// <summary>What was linked, in the order of the calls.</summary>
    public IReadOnlyList<MeshLink> Links => _links;

    /// <summary>Links two stages, with the blocks that users inserted at the seam in between, in the order of their insertion.</summary>
    public void Link<T>(ISourceBlock<T> source, InlineTarget<T> target, CoapSeam<T> seam)
    {
        foreach (Func<IPropagatorBlock<T, T>> factory in _options.At(seam))
        {
            IPropagatorBlock<T, T> block = factory() ?? throw new InvalidOperationException($"The factory of the block at the seam {seam} gave null.");
            source.LinkTo(new UserTarget<T>(block), s_propagate);
            _links.Add(new MeshLink(source, block, seam.Name, typeof(T)));
            _ = WatchAsync(block, seam.Name);
            source = block;
        }

        source.LinkTo(target, s_propagate);
        _links.Add(new MeshLink(source, target, seam.Name, typeof(T)));
    }

    /// <summary>Completes the first block; each tells the next one when it is empty.</summary>
    /// <returns>Ends when the last block completed.</returns>
    public Task CompleteAsync()
    {
        Volatile.Write(ref _isEnding, true);
        _first.Complete();
        return _last.Completion;
    }

    /// <summary>Ends the stages without waiting for what is inside them.</summary>
    public void Abandon()
    {
        _first.Abandon();
        foreach (MeshLink link in _links)
        {
            (link.Target as InlineNode)?.Abandon();
        }
    }

    // A block that ended while the endpoint runs leaves a server that is up and deaf: better to fail aloud.
    private async Task WatchAsync(IDataflowBlock block, string seam)
    {
        await ((Task)block.Completion).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (!Volatile.Read(ref _isEnding))
        {
            _shard.Drain.Fault(new CoapException(
                $"The block at the seam {seam} {(block.Completion.IsFaulted ? "faulted" : "completed")} while the endpoint was running.",
                block.Completion.Exception?.InnerException));
        }
    }
}
