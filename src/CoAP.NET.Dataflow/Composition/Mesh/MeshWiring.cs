using System.Threading.Tasks.Dataflow;

namespace CoAP.NET.Mesh;

/// <summary>
/// Links the blocks of one shard and inserts those of the application. Ends them one after another, each when the one before it is empty,
/// or abandons them. A block of the application that ends earlier is an error of the endpoint.
/// </summary>
internal sealed class MeshWiring
{
    private readonly CoapShard _shard;
    private readonly CoapPipelineOptions _options;
    private readonly InlineNode _first;
    private readonly List<MeshLink> _links = [];

    // Describes the positions of the application's blocks.
    private readonly Dictionary<IDataflowBlock, string> _places = [];
    private readonly HashSet<IDataflowBlock> _abandoned = [];
    private bool _isEnding;

    /// <param name="shard">The shard of the blocks.</param>
    /// <param name="options">The blocks of the application.</param>
    /// <param name="first">The beginning of the path.</param>
    public MeshWiring(CoapShard shard, CoapPipelineOptions options, InlineNode first)
    {
        _shard = shard;
        _options = options;
        _first = first;
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
            Link(source, block, seam.Name, $"at the seam {seam}");
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
        if (target is not InlineNode)
        {
            _options.Take(target, place);
            _places.Add(target, place);
        }

        _links.Add(new MeshLinkOf<T>(source, target, name, _shard.Environment.Counters));
    }

    /// <summary>Completes blocks one after another, each when the one before it is empty.</summary>
    /// <param name="first">The first block.</param>
    /// <param name="end">The block before which to end; null for none.</param>
    /// <param name="time">The time for it. Blocks that are not empty by then are abandoned.</param>
    public async Task CompleteAsync(IDataflowBlock first, IDataflowBlock? end, StopTime time)
    {
        Volatile.Write(ref _isEnding, true);
        await CompleteAsync(first, time).ConfigureAwait(false);
        foreach (MeshLink link in PathFrom(first))
        {
            if (link.Target == end)
            {
                return;
            }

            await CompleteTargetAsync(link, time).ConfigureAwait(false);
        }
    }

    /// <summary>
    /// Completes the blocks of the application between two stages, each when the one before it is empty. The stages stay open, and are
    /// linked directly.
    /// </summary>
    /// <param name="first">The first stage.</param>
    /// <param name="last">The last stage.</param>
    /// <param name="time">The time for it. Blocks that are not empty by then are abandoned.</param>
    /// <param name="atOnce">
    /// Whether items pass by the blocks from the beginning. Otherwise they are declined until the blocks are empty.
    /// </param>
    public async Task CompleteBetweenAsync(IDataflowBlock first, IDataflowBlock last, StopTime time, bool atOnce = false)
    {
        Volatile.Write(ref _isEnding, true);
        MeshLink? entry = null;
        foreach (MeshLink link in PathFrom(first))
        {
            if (link.Target is not InlineNode)
            {
                if (entry is null)
                {
                    entry = link;
                    entry.Cut();
                    if (atOnce)
                    {
                        entry.Bypass(StageBehind(link));
                    }
                }

                await CompleteTargetAsync(link, time).ConfigureAwait(false);
            }
            else if (entry is not null)
            {
                if (!atOnce)
                {
                    entry.Bypass(link.Target);
                }

                entry = null;
            }

            if (link.Target == last)
            {
                return;
            }
        }
    }

    /// <summary>The errors of the application's blocks that ended with one.</summary>
    public IEnumerable<Exception> Errors =>
        _places.Keys.Select(static block => block.Completion.Exception).OfType<Exception>();

    /// <summary>From now on, faults the endpoint when a block of the application ends. Called once, after all links.</summary>
    public void Watch()
    {
        foreach (IDataflowBlock block in _places.Keys)
        {
            _ = WatchAsync(block);
        }
    }

    private async Task CompleteTargetAsync(MeshLink link, StopTime time)
    {
        if (link.Source is InlineNode stage)
        {
            await time.InTimeAsync(stage.WhenTakenAsync()).ConfigureAwait(false);
        }

        await CompleteAsync(link.Target, time).ConfigureAwait(false);
    }

    private async Task CompleteAsync(IDataflowBlock block, StopTime time)
    {
        try
        {
            block.Complete();
            if (await time.InTimeAsync(block.Completion).ConfigureAwait(false))
            {
                return;
            }
        }
#pragma warning disable CA1031 // a block of the application must not keep the others from ending
        catch (Exception exception)
#pragma warning restore CA1031
        {
            InlineFailure.Report(_shard.Environment.Counters, _shard.Environment.Logger, exception);
        }

        if (block is InlineNode stage)
        {
            stage.Abandon();
            if (_abandoned.Add(block) && _abandoned.Count == 1)
            {
                // The stages before and behind it have the same thread inside.
                EndpointLog.StageDidNotComplete(_shard.Environment.Logger, block.GetType().Name, _shard.Index);
            }
        }
        else if (_abandoned.Add(block))
        {
            PathFrom(block).First().Abandon();
            EndpointLog.BlockDidNotComplete(_shard.Environment.Logger, _places[block], _shard.Index);
        }
    }

    // The links behind a block, in the order of the path.
    private IEnumerable<MeshLink> PathFrom(IDataflowBlock block)
    {
        while (_links.Find(link => link.Source == block) is { } link)
        {
            yield return link;
            block = link.Target;
        }
    }

    private IDataflowBlock StageBehind(MeshLink link) => PathFrom(link.Target).First(static next => next.Target is InlineNode).Target;

    // A block that ended while the endpoint runs would leave a server that is up and deaf; a visible failure is better.
    private async Task WatchAsync(IDataflowBlock block)
    {
        await block.Completion.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (!Volatile.Read(ref _isEnding))
        {
            // Blocks of the application may pass on their end, so several may have ended by now: the first one on the path is the cause.
            block = PathFrom(_first).Select(static link => link.Target)
                .FirstOrDefault(ended => _places.ContainsKey(ended) && ended.Completion.IsCompleted, block);
            _shard.Drain.TargetOf<CoapException>()?.Carry(new CoapException(
                $"The block {_places[block]} {(block.Completion.IsFaulted ? "faulted" : "completed")} while the endpoint was running.",
                block.Completion.Exception?.InnerException));
        }
    }
}
