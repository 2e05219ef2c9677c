using System.Runtime.CompilerServices;
using System.Threading.Tasks.Dataflow;

namespace CoAP.NET;

/// <summary>The blocks that an application inserts between the stages or puts in place of a stage, and what all stages use.</summary>
/// <remarks>Read-only once an endpoint uses them. Making the endpoint creates the blocks.</remarks>
[HasSettings]
public sealed partial class CoapPipelineOptions
{
    private readonly List<(object Link, Delegate Factory)> _inserts = [];
    private readonly Dictionary<object, Delegate> _replacements = [];

    // The blocks that the factories have returned, as long as they live.
    private readonly ConditionalWeakTable<object, object> _given = [];

    internal CoapPipelineOptions()
    {
    }

    /// <summary>The threads of the library.</summary>
    /// <remarks>Default: its own, shared by all endpoints.</remarks>
    public partial CoapThreadScheduler Scheduler { get; set; } = CoapThreadScheduler.Default;

    /// <summary>The source of random numbers.</summary>
    /// <remarks>Default: that of the operating system.</remarks>
    public partial CoapRandomSource Random { get; set; } = CoapRandomSource.Secure;

    /// <summary>Inserts a block between two stages.</summary>
    /// <remarks>
    /// Each shard gets its own block. The block must keep the order of the items of one channel. It must hand on or dispose each datagram
    /// exactly once; call <see cref="CoapDatagram.Copy"/> when it needs two. A block that faults or completes faults the endpoint.
    /// </remarks>
    /// <typeparam name="T">The type of the items that pass the link.</typeparam>
    /// <param name="link">The link, a member of <see cref="CoapStageLinks"/>.</param>
    /// <param name="factory">Creates the block: any block of the Dataflow library or one of your own.</param>
    /// <returns>These options.</returns>
    /// <exception cref="InvalidOperationException">An endpoint, client or server was already made from these options.</exception>
    public CoapPipelineOptions Insert<T>(CoapStageLink<T> link, Func<IPropagatorBlock<T, T>> factory)
    {
        ArgumentNullException.ThrowIfNull(link);
        ArgumentNullException.ThrowIfNull(factory);
        ThrowIfTaken(nameof(Insert));
        _inserts.Add((link, factory));
        return this;
    }

    /// <summary>
    /// Replaces a stage by blocks of your own: <see cref="CoapStages.Channel"/>, <see cref="CoapStages.Serializer"/>,
    /// <see cref="CoapStages.Handler"/> or <see cref="CoapStages.Resource"/>. A transport of your own replaces the fifth one
    /// (<see cref="CoapDataflowBlockTransport"/>).
    /// </summary>
    /// <remarks>
    /// The stage links before and after the stage stay. Use any blocks of the Dataflow library, or targets of your own. They must keep
    /// these rules, in addition to those of the stage:
    /// <list type="bullet">
    /// <item>Items of one channel leave in the order in which they arrived. Answers of a router may leave in any order.</item>
    /// <item>A block that faults or completes while the endpoint runs faults the endpoint. Catch the exceptions that your code can
    /// throw.</item>
    /// <item>An item that a block declines or postpones, as a full block does, is dropped and counted as
    /// <c>Declined</c>. A dropped request is answered with 5.03. The endpoint stops reading a connection meanwhile, so a
    /// connection loses nothing.</item>
    /// <item>When the endpoint stops, it completes the blocks from the socket upwards and then back down, before it closes the sockets. A
    /// block completes when all its items have left it. The endpoint abandons a block that does not complete within the grace period and a
    /// second more.</item>
    /// <item>A block runs on the receiving threads, unless it has a queue, and must not block them.</item>
    /// </list>
    /// </remarks>
    /// <typeparam name="TBlocks">The type of the replacement.</typeparam>
    /// <param name="stage">The stage, a member of <see cref="CoapStages"/>.</param>
    /// <param name="factory">Creates new blocks for each shard.</param>
    /// <returns>These options.</returns>
    /// <exception cref="InvalidOperationException">
    /// The stage is already replaced, or an endpoint, client or server was already made from these options.
    /// </exception>
    public CoapPipelineOptions Replace<TBlocks>(CoapStage<TBlocks> stage, Func<CoapStageContext, TBlocks> factory)
        where TBlocks : class
    {
        ArgumentNullException.ThrowIfNull(stage);
        ArgumentNullException.ThrowIfNull(factory);
        ThrowIfTaken(nameof(Replace));
        if (!_replacements.TryAdd(stage, factory))
        {
            throw new InvalidOperationException(
                $"The {stage} stage is already replaced, or runs on tasks. Combine the two replacements into one.");
        }

        return this;
    }

    /// <summary>Runs a stage on a block of the Dataflow library, with a queue and with tasks of its own.</summary>
    /// <remarks>
    /// By default a stage has neither: it runs inside of the offer, on the receiving thread. The order of the items of a peer stays, except
    /// that datagrams can overtake one that keeps its receiving thread for longer than <see
    /// cref="CoapUdpTransportOptions.HandOverAfter"/>.
    /// <list type="bullet">
    /// <item><see cref="CoapStages.Channel"/> and <see cref="CoapStages.Serializer"/> run on two <see cref="TransformManyBlock{TInput,
    /// TOutput}"/>, which take several items at a time and pass the results on in order.</item>
    /// <item><see cref="CoapStages.Resource"/> takes several requests at a time. Their handlers end in any order.</item>
    /// <item><see cref="CoapStages.Handler"/> takes one item at a time in each direction.</item>
    /// </list>
    /// </remarks>
    /// <typeparam name="TBlocks">The type of the stage.</typeparam>
    /// <param name="stage">The stage.</param>
    /// <param name="execution">
    /// The tasks: how many at a time (<see cref="ExecutionDataflowBlockOptions.MaxDegreeOfParallelism"/>), the scheduler, and the bound of
    /// the queue (<see cref="DataflowBlockOptions.BoundedCapacity"/>). An item that finds the queue full is refused as by any other block.
    /// </param>
    /// <returns>These options.</returns>
    /// <exception cref="ArgumentException">The stage cannot run on tasks, or not with these settings.</exception>
    /// <exception cref="InvalidOperationException">
    /// The stage is already replaced, or an endpoint, client or server was already made from these options.
    /// </exception>
    public CoapPipelineOptions RunOnTasks<TBlocks>(CoapStage<TBlocks> stage, ExecutionDataflowBlockOptions execution)
        where TBlocks : class
    {
        ArgumentNullException.ThrowIfNull(stage);
        ArgumentNullException.ThrowIfNull(execution);
        bool isParallel = execution.MaxDegreeOfParallelism != 1;
        object named = stage;
        if (!execution.EnsureOrdered && isParallel && named != CoapStages.Resource)
        {
            throw new ArgumentException(
                $"The items of a peer keep their order in the {stage} stage. Leave EnsureOrdered true.", nameof(execution));
        }

        if (named == CoapStages.Channel)
        {
            return Replace(CoapStages.Channel, context => new CoapChannelStageBlocks(
                new TransformManyBlock<CoapDatagram, CoapDatagram>(
                    item => context.TryAttach(item) ? [item] : Array.Empty<CoapDatagram>(), execution),
                new TransformBlock<CoapDatagram, CoapDatagram>(CoapStageContext.Address, execution)));
        }

        if (named == CoapStages.Serializer)
        {
            return Replace(CoapStages.Serializer, context => new CoapSerializerStageBlocks(
                new TransformManyBlock<CoapDatagram, CoapInbound>(
                    item => context.TryRead(item, out CoapInbound message) ? [message] : Array.Empty<CoapInbound>(), execution),
                new TransformManyBlock<CoapOutbound, CoapDatagram>(
                    item => context.Write(item) is { } datagram ? [datagram] : Array.Empty<CoapDatagram>(), execution)));
        }

        if (named == CoapStages.Handler)
        {
            return isParallel
                ? throw new ArgumentException(
                    "The Handler stage takes one item at a time. Leave MaxDegreeOfParallelism at 1.", nameof(execution))
                : Insert(CoapStageLinks.SerializerToMessaging, () => QueueOf<CoapInbound>(execution))
                    .Insert(CoapStageLinks.ResourceToExchanges, () => QueueOf<CoapServerReply>(execution));
        }

        return named == CoapStages.Resource
            ? Insert(CoapStageLinks.ExchangesToResource, () => QueueOf<CoapExchange>(execution))
            : throw new ArgumentException($"The {stage} stage cannot run on tasks.", nameof(stage));
    }

    // A queue whose tasks run the next stage; a TransformBlock would offer one item at a time.
    private static IPropagatorBlock<T, T> QueueOf<T>(ExecutionDataflowBlockOptions execution)
    {
        PassingBlock<T> exit = new();
        ActionBlock<T> queue = new(exit.Pass, execution);
        _ = queue.Completion.ContinueWith(
            static (_, exit) => ((PassingBlock<T>)exit!).Complete(), exit, CancellationToken.None,
            TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
        return DataflowBlock.Encapsulate(queue, exit);
    }

    private sealed class PassingBlock<T> : CoapInlineBlock<T, T>
    {
        public void Pass(T item) => this.Post(item);

        protected override bool Process(T item) => Offer(item);
    }

    internal bool HasBlocks => _inserts.Count > 0 || _replacements.Keys.Any(static stage => stage != CoapStages.Protection);

    internal bool IsReplaced<TBlocks>(CoapStage<TBlocks> stage)
        where TBlocks : class => _replacements.ContainsKey(stage);

    /// <summary>Creates the blocks that replace a stage.</summary>
    /// <returns>The blocks; null when the stage is not replaced.</returns>
    internal TBlocks? Make<TBlocks>(CoapStage<TBlocks> stage, CoapStageContext context)
        where TBlocks : class => !_replacements.TryGetValue(stage, out Delegate? factory) ? null
            : ((Func<CoapStageContext, TBlocks>)factory)(context)
                ?? throw new InvalidOperationException(
                    $"The factory for the {stage} stage returned null. It must return new blocks for each shard.");

    /// <summary>Records that a block is linked.</summary>
    /// <exception cref="InvalidOperationException">
    /// The block is already linked elsewhere: its items would leave at the first place only.
    /// </exception>
    internal void Take(object block, string place)
    {
        if (!_given.TryAdd(block, block))
        {
            throw new InvalidOperationException(
                $"The factory of the block {place} returned a block that is already in use. The factory is called once for each shard and "
                    + "must return a new block each time.");
        }
    }

    private void ThrowIfTaken(string method)
    {
        if (_user is not null)
        {
            throw new InvalidOperationException(
                $"These options already belong to an endpoint, client or server, which linked its blocks when it was made. Call {method} "
                    + "before you make it, and use new options for another endpoint.");
        }
    }

    internal IEnumerable<Func<IPropagatorBlock<T, T>>> At<T>(CoapStageLink<T> link) =>
        _inserts.Where(insert => insert.Link == link).Select(insert => (Func<IPropagatorBlock<T, T>>)insert.Factory);
}
