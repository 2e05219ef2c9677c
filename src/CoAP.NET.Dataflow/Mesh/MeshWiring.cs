using System.Threading.Tasks.Dataflow;

namespace CoAP.NET.Mesh;

/// <summary>
/// Links the blocks of one shard and inserts those of the application. Ends them by completion, which the links pass on from the first
/// block to the last, or by abandoning them. A block of the application that ends earlier is an error of the endpoint.
/// </summary>
internal sealed class MeshWiring
{
    private static readonly DataflowLinkOptions s_propagate = new() { PropagateCompletion = true };

    private readonly CoapShard _shard;
    private readonly CoapPipelineOptions _options;
    private readonly InlineNode _first;
    private readonly InlineNode _last;
    private readonly List<MeshLink> _links = [];

    // Describes the positions of the application's blocks.
    private readonly Dictionary<IDataflowBlock, string> _places = [];
    private bool _isEnding;

    /// <param name="shard">The shard of the blocks.</param>
    /// <param name="options">The blocks of the application.</param>
    /// <param name="first">The beginning of the path.</param>
    /// <param name="last">The end of the path.</param>
    public MeshWiring(CoapShard shard, CoapPipelineOptions options, InlineNode first, InlineNode last)
    {
        _shard = shard;
        _options = options;
        _first = first;
        _last = last;
    }

    /// <summary>The links in the order of the calls.</summary>
    public IReadOnlyList<MeshLink> Links => _links;

    /// <summary>Links two stages, with the inserted blocks of the seam in between, in the order of their insertion.</summary>
    /// <param name="source">The end of the first stage.</param>
    /// <param name="target">The beginning of the next stage; an inline block, or a replacement of the application.</param>
    /// <param name="seam">The seam between the stages.</param>
    public void Link<T>(ISourceBlock<T> source, ITargetBlock<T> target, CoapSeam<T> seam)
    {
        foreach (Func<IPropagatorBlock<T, T>> factory in _options.At(seam))
        {
            IPropagatorBlock<T, T> block = factory()
                ?? throw new InvalidOperationException($"The factory of the block at the seam {seam} returned null. Return a new block.");
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

    /// <summary>Completes the first block; each block completes the next one when it is empty.</summary>
    /// <returns>A task that completes with the last block.</returns>
    public Task CompleteAsync()
    {
        Volatile.Write(ref _isEnding, true);
        _first.Complete();
        return _last.Completion;
    }

    /// <summary>Ends the stages without waiting for the items inside.</summary>
    public void Abandon()
    {
        _first.Abandon();
        foreach (MeshLink link in _links)
        {
            (link.Target as InlineNode)?.Abandon();
        }
    }

    /// <summary>From now on, faults the endpoint when a block of the application ends. Called once, after all links.</summary>
    public void Watch()
    {
        foreach (IDataflowBlock block in _places.Keys)
        {
            _ = WatchAsync(block);
        }
    }

    // A block that ended while the endpoint runs would leave a server that is up and deaf; a visible failure is better.
    private async Task WatchAsync(IDataflowBlock block)
    {
        await block.Completion.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (!Volatile.Read(ref _isEnding))
        {
            // Links pass on the end, so several blocks may have ended by now: the first one on the path is the cause.
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
