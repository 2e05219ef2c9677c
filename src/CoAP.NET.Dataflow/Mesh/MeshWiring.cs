using System.Threading.Tasks.Dataflow;

namespace CoAP.NET.Mesh;

/// <summary>
/// Links the blocks of one shard, with those of users between them, and knows how they end: by completion, which the links pass on from the
/// first block to the last, or abandoned. A block of a user that ends before is an error of the endpoint.
/// </summary>
internal sealed class MeshWiring
{
    private static readonly DataflowLinkOptions s_propagate = new() { PropagateCompletion = true };

    private readonly CoapShard _shard;
    private readonly CoapPipelineOptions _options;
    private readonly InlineNode _first;
    private readonly InlineNode _last;
    private readonly List<MeshLink> _links = [];

    // Where the blocks of users stand, in words.
    private readonly Dictionary<IDataflowBlock, string> _places = [];
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
    /// <param name="source">The end of the one stage.</param>
    /// <param name="target">The beginning of the next one; a block of ours, or one of a user that stands in the place of a stage.</param>
    /// <param name="seam">What lies between.</param>
    public void Link<T>(ISourceBlock<T> source, ITargetBlock<T> target, CoapSeam<T> seam)
    {
        foreach (Func<IPropagatorBlock<T, T>> factory in _options.At(seam))
        {
            IPropagatorBlock<T, T> block = factory()
                ?? throw new InvalidOperationException($"The factory of the block at the seam {seam} gave null.");
            LinkUser(source, block, $"at the seam {seam}");
            _links.Add(new MeshLink(source, block, seam.Name, typeof(T)));
            source = block;
        }

        Link(source, target, seam.Name, $"in place of the stage behind the seam {seam}");
    }

    /// <summary>Links two blocks of one stage.</summary>
    /// <param name="source">The first one.</param>
    /// <param name="target">The second one.</param>
    /// <param name="stage">The stage.</param>
    public void LinkWithin<T>(ISourceBlock<T> source, ITargetBlock<T> target, string stage) =>
        Link(source, target, stage, $"in place of the stage {stage}");

    private void Link<T>(ISourceBlock<T> source, ITargetBlock<T> target, string name, string place)
    {
        if (target is InlineNode)
        {
            source.LinkTo(target, s_propagate);
        }
        else
        {
            LinkUser(source, target, place);
        }

        _links.Add(new MeshLink(source, target, name, typeof(T)));
    }

    private void LinkUser<T>(ISourceBlock<T> source, ITargetBlock<T> block, string place)
    {
        _options.Take(block, place);
        source.LinkTo(new UserTarget<T>(block), s_propagate);
        _places.Add(block, place);
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

    /// <summary>Faults the endpoint when a block of a user ends from now on. Called once, when everything is linked.</summary>
    public void Watch()
    {
        foreach (IDataflowBlock block in _places.Keys)
        {
            _ = WatchAsync(block);
        }
    }

    // A block that ended while the endpoint runs leaves a server that is up and deaf: better to fail aloud.
    private async Task WatchAsync(IDataflowBlock block)
    {
        await block.Completion.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (!Volatile.Read(ref _isEnding))
        {
            // Links pass the end on, so several may have ended by now: the first one on the path is the cause.
            block = FirstThatEnded() ?? block;
            _shard.Drain.Fault(new CoapException(
                $"The block {_places[block]} {(block.Completion.IsFaulted ? "faulted" : "completed")} while the endpoint was running.",
                block.Completion.Exception?.InnerException));
        }
    }

    private IDataflowBlock? FirstThatEnded()
    {
        IDataflowBlock block = _first;
        while (_links.Find(link => link.Source == block) is { } link)
        {
            block = link.Target;
            if (_places.ContainsKey(block) && block.Completion.IsCompleted)
            {
                return block;
            }
        }

        return null;
    }
}
