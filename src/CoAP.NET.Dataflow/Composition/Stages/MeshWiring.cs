using System.Collections.Concurrent;
using System.Collections.Immutable;
using System.Threading.Tasks.Dataflow;

namespace CoAP.NET.Composition.Stages;

/// <summary>
/// Links the blocks of one shard and inserts those of the application. Ends them one after another, each when the one before it is empty,
/// or abandons them. A block of the application that ends earlier is an error of the endpoint.
/// </summary>
internal sealed class MeshWiring
{
    private readonly CoapShard _shard;
    private readonly CoapPipelineOptions _options;
    private readonly InlineBlockBase _first;
    private readonly Lock _gate = new();

    // Replaced on change: an endpoint that runs may get another block.
    private ImmutableArray<MeshLink> _links = [];

    // Describes the positions of the application's blocks.
    private readonly ConcurrentDictionary<IDataflowBlock, string> _places = [];
    private readonly ConcurrentDictionary<IDataflowBlock, bool> _abandoned = [];

    // Blocks that are removed while the endpoint runs, with their way out.
    private readonly ConcurrentDictionary<IDataflowBlock, MeshLink> _leaving = [];

    // One removal at a time: a block that is removed may pass its items to another one.
    private Task _removal = Task.CompletedTask;
    private bool _isEnding;

    public MeshWiring(CoapShard shard, CoapPipelineOptions options, InlineBlockBase first)
    {
        _shard = shard;
        _options = options;
        _first = first;
    }

    /// <summary>The links in the order of the calls.</summary>
    public IReadOnlyList<MeshLink> Links => _links;

    /// <summary>Links two stages, with the inserted blocks of the link in between, in the order of their insertion.</summary>
    /// <param name="source">The end of the first stage.</param>
    /// <param name="target">The beginning of the next stage; an inline block, or a replacement of the application.</param>
    /// <param name="link">The link between the stages.</param>
    public void Link<T>(ISourceBlock<T> source, ITargetBlock<T> target, CoapStageLink<T> link)
    {
        foreach (Func<IPropagatorBlock<T, T>> factory in _options.At(link))
        {
            IPropagatorBlock<T, T> block = factory()
                ?? throw new InvalidOperationException($"The factory of the block at the link {link} returned null. Return a new block.");
            Link(source, block, link.Name, $"at the link {link}");
            source = block;
        }

        Link(source, target, link.Name, $"in place of the stage behind the link {link}");
    }

    /// <summary>Links two blocks of one stage.</summary>
    /// <param name="source">The first one.</param>
    /// <param name="target">The second one.</param>
    /// <param name="stage">The stage.</param>
    public void LinkWithin<T>(ISourceBlock<T> source, ITargetBlock<T> target, string stage) =>
        Link(source, target, stage, $"in place of the stage {stage}");

    private void Link<T>(ISourceBlock<T> source, ITargetBlock<T> target, string name, string place)
    {
        if (target is not InlineBlockBase)
        {
            _options.Take(target, place);
            _places[target] = place;
        }

        _links = _links.Add(new TypedMeshLink<T>(source, target, name, _shard.Environment.Counters));
    }

    /// <summary>
    /// Inserts a block while the endpoint runs, behind the other blocks of its link. Each item passes the new block or the link that it
    /// replaces, and none both.
    /// </summary>
    /// <param name="block">The block.</param>
    /// <param name="link">The link.</param>
    /// <exception cref="InvalidOperationException">The endpoint stops; or the block is already linked elsewhere.</exception>
    public void Insert<T>(IPropagatorBlock<T, T> block, CoapStageLink<T> link)
    {
        string place = $"at the link {link}";
        lock (_gate)
        {
            if (_isEnding)
            {
                throw new InvalidOperationException("The endpoint stops. Insert blocks while it runs, or before it is made.");
            }

            int index = LastOf(link);
            TypedMeshLink<T> old = (TypedMeshLink<T>)_links[index];
            _options.Take(block, place);
            _places[block] = place;
            _shard.KeepsRequests = true;

            // The way out first. Then both ways exist for a moment; an item takes the first one that is there.
            TypedMeshLink<T> after = new(block, old.To, link.Name, _shard.Environment.Counters);
            TypedMeshLink<T> before = new(old.From, block, link.Name, _shard.Environment.Counters);
            old.Cut();
            _links = [.. _links[..index], before, after, .. _links[(index + 1)..]];
        }

        _ = WatchAsync(block);
    }

    /// <summary>
    /// Removes a block while the endpoint runs, and waits until its items have left it. Later items wait for these, so that those of one
    /// peer keep their order.
    /// </summary>
    /// <param name="block">The block.</param>
    /// <param name="time">The time for it. If it is not empty by then, what still leaves it is dropped and counted.</param>
    public async Task RemoveAsync<T>(IPropagatorBlock<T, T> block, StopDeadline time)
    {
        TaskCompletionSource end = new(TaskCreationOptions.RunContinuationsAsynchronously);
        await Interlocked.Exchange(ref _removal, end.Task).ConfigureAwait(false);
        try
        {
            await RemoveInTurnAsync(block, time).ConfigureAwait(false);
        }
        finally
        {
            end.SetResult();
        }
    }

    private async Task RemoveInTurnAsync<T>(IPropagatorBlock<T, T> block, StopDeadline time)
    {
        RemovalQueue<T> queue = new(_shard.Environment.Counters);
        TypedMeshLink<T> before;
        TypedMeshLink<T> after;
        lock (_gate)
        {
            int index = _links.IndexOf(_links.FirstOrDefault(link => link.Target == block)!);
            if (_isEnding || index < 0)
            {
                // The end of the endpoint completes it.
                return;
            }

            before = (TypedMeshLink<T>)_links[index];
            after = (TypedMeshLink<T>)_links[index + 1];
            _places[queue] = _places[block];

            // The way out first, as for an insertion.
            TypedMeshLink<T> exit = new(queue, after.To, before.LinkName, _shard.Environment.Counters);
            TypedMeshLink<T> entry = new(before.From, queue, before.LinkName, _shard.Environment.Counters);
            before.Cut();
            _links = [.. _links[..index], entry, exit, .. _links[(index + 2)..]];
            _leaving[block] = after;
        }

        if (before.Source is InlineBlockBase stage)
        {
            // What waits for room in the queue gets it after the block has ended.
            await time.InTimeAsync(Task.WhenAny(stage.WhenTakenAsync(), queue.WhenFull)).ConfigureAwait(false);
        }

        await CompleteAsync(block, time).ConfigureAwait(false);
        after.Cut();
        _leaving.TryRemove(block, out _);
        _places.TryRemove(block, out _);
        bool isEmpty = await time.InTimeAsync(queue.OpenAsync()).ConfigureAwait(false);
        lock (_gate)
        {
            int index = _links.IndexOf(_links.First(link => link.Target == queue));
            if (!isEmpty)
            {
                _links[index + 1].Abandon();
            }

            if (_isEnding)
            {
                return;
            }

            // Another block may be behind the queue by now.
            before = (TypedMeshLink<T>)_links[index];
            TypedMeshLink<T> direct =
                new(before.From, ((TypedMeshLink<T>)_links[index + 1]).To, before.LinkName, _shard.Environment.Counters);
            before.Cut();
            _links = [.. _links[..index], direct, .. _links[(index + 2)..]];
        }

        _places.TryRemove(queue, out _);
    }

    // The one that leads to the next stage.
    private int LastOf<T>(CoapStageLink<T> link)
    {
        int index = _links.Length - 1;
        while (_links[index].LinkName != link.Name)
        {
            index--;
        }

        return index;
    }

    /// <summary>Completes blocks one after another, each when the one before it is empty.</summary>
    /// <param name="first">The first block.</param>
    /// <param name="end">The block before which to end; null for none.</param>
    /// <param name="time">The time for it. Blocks that are not empty by then are abandoned.</param>
    public async Task CompleteAsync(IDataflowBlock first, IDataflowBlock? end, StopDeadline time)
    {
        BeginToEnd();
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
    public async Task CompleteBetweenAsync(IDataflowBlock first, IDataflowBlock last, StopDeadline time, bool atOnce = false)
    {
        BeginToEnd();
        MeshLink? entry = null;
        foreach (MeshLink link in PathFrom(first))
        {
            if (link.Target is not InlineBlockBase && link.Target != last)
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

    // No block is inserted or removed any more.
    private void BeginToEnd()
    {
        lock (_gate)
        {
            _isEnding = true;
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

    private async Task CompleteTargetAsync(MeshLink link, StopDeadline time)
    {
        if (link.Source is InlineBlockBase stage)
        {
            await time.InTimeAsync(stage.WhenTakenAsync()).ConfigureAwait(false);
        }

        await CompleteAsync(link.Target, time).ConfigureAwait(false);
    }

    private async Task CompleteAsync(IDataflowBlock block, StopDeadline time)
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
            StageExceptionReporter.Report(_shard.Environment.Counters, _shard.Environment.Logger, exception);
        }

        if (block is InlineBlockBase stage)
        {
            stage.Abandon();
            if (_abandoned.TryAdd(block, true) && _abandoned.Count == 1)
            {
                // The stages before and behind it have the same thread inside.
                MeshLog.StageDidNotComplete(_shard.Environment.Logger, block.GetType().Name, _shard.Index);
            }
        }
        else if (_abandoned.TryAdd(block, true))
        {
            (_leaving.TryGetValue(block, out MeshLink? way) ? way : PathFrom(block).First()).Abandon();
            MeshLog.BlockDidNotComplete(_shard.Environment.Logger, _places[block], _shard.Index);
        }
    }

    // The links behind a block, in the order of the path.
    private IEnumerable<MeshLink> PathFrom(IDataflowBlock block)
    {
        while (_links.FirstOrDefault(link => link.Source == block) is { } link)
        {
            yield return link;
            block = link.Target;
        }
    }

    private IDataflowBlock StageBehind(MeshLink link) => PathFrom(link.Target).First(static next => next.Target is InlineBlockBase).Target;

    // A block that ended while the endpoint runs would leave a server that is up and deaf; a visible failure is better.
    private async Task WatchAsync(IDataflowBlock block)
    {
        await block.Completion.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (!Volatile.Read(ref _isEnding) && _links.Any(link => link.Target == block))
        {
            // Blocks of the application may pass on their end, so several may have ended by now: the first one on the path is the cause.
            block = PathFrom(_first).Select(static link => link.Target)
                .FirstOrDefault(ended => _places.ContainsKey(ended) && ended.Completion.IsCompleted, block);
            _shard.Endpoint.Fault(new CoapException(
                $"The block {_places[block]} {(block.Completion.IsFaulted ? "faulted" : "completed")} while the endpoint was running.",
                block.Completion.Exception?.InnerException));
        }
    }
}
