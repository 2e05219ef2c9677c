using System.Runtime.CompilerServices;
using System.Threading.Tasks.Dataflow;

namespace CoAP.NET.Mesh;

/// <summary>
/// The blocks that a user puts between the stages or in place of one. Mutable until an endpoint is made of the options, which makes the
/// blocks at once.
/// </summary>
public sealed class CoapPipelineOptions
{
    private readonly List<(object Seam, Delegate Factory)> _inserts = [];
    private readonly Dictionary<object, Delegate> _replacements = [];

    // Which blocks factories gave already, for as long as they live.
    private readonly ConditionalWeakTable<object, object> _given = [];
    private volatile bool _isTaken;

    /// <summary>
    /// Puts a block between two stages. Each shard gets a block of its own. The block must keep the order of items of one channel, and hand
    /// on or dispose each datagram exactly once (<see cref="CoapDatagram.Copy"/> where it needs two). A block that faults or completes
    /// faults the endpoint.
    /// </summary>
    /// <typeparam name="T">What passes at the seam.</typeparam>
    /// <param name="seam">The place, a member of <see cref="CoapSeams"/>.</param>
    /// <param name="factory">Makes the block; any block of the Dataflow library or an own one.</param>
    /// <returns>These options.</returns>
    /// <exception cref="InvalidOperationException">An endpoint, client or server was made of these options already.</exception>
    public CoapPipelineOptions Insert<T>(CoapSeam<T> seam, Func<IPropagatorBlock<T, T>> factory)
    {
        ArgumentNullException.ThrowIfNull(seam);
        ArgumentNullException.ThrowIfNull(factory);
        ThrowIfTaken(nameof(Insert));
        _inserts.Add((seam, factory));
        return this;
    }

    /// <summary>
    /// Puts blocks of yours in the place of a stage: <see cref="CoapStages.Serializer"/> for a wire format, <see
    /// cref="CoapStages.Resource"/> for a router.
    /// The seams before and after it stay. Any blocks of the Dataflow library will do, or targets of your own. What they must keep:
    /// <list type="bullet">
    /// <item>Items of one channel leave in the order in which they came. Answers of a router may come in any order.</item>
    /// <item>A block that faults or completes while the endpoint runs faults the endpoint. So what may be thrown is caught.</item>
    /// <item>What a block declines or postpones, as a full one does, is dropped, counted as <see cref="CoapCounter.Declined"/>, and
    /// answered 5.03 where it is a request; a connection is not read meanwhile and loses nothing.</item>
    /// <item>When the endpoint stops, blocks are completed from the socket up and back down. A block completes when everything is out of
    /// it; one that does not within the grace period is abandoned.</item>
    /// <item>A block runs on threads that receive, unless it has a queue, and must not block them.</item>
    /// </list>
    /// What holds for each stage besides stands with it.
    /// </summary>
    /// <typeparam name="TBlocks">What takes its place.</typeparam>
    /// <param name="stage">The stage, a member of <see cref="CoapStages"/>.</param>
    /// <param name="factory">Makes new blocks for each shard.</param>
    /// <returns>These options.</returns>
    /// <exception cref="InvalidOperationException">The stage is replaced already, or an endpoint, client or server was made of these
    /// options.</exception>
    public CoapPipelineOptions Replace<TBlocks>(CoapStage<TBlocks> stage, Func<CoapStageContext, TBlocks> factory)
        where TBlocks : class
    {
        ArgumentNullException.ThrowIfNull(stage);
        ArgumentNullException.ThrowIfNull(factory);
        ThrowIfTaken(nameof(Replace));
        if (!_replacements.TryAdd(stage, factory))
        {
            throw new InvalidOperationException(
                $"The {stage} stage is replaced already: it has one wire format or one router. Make one block of the two.");
        }

        return this;
    }

    /// <summary>Whether nobody but the stages sees messages on their way from Exchanges to the Serializer.</summary>
    internal bool LeavesMessagesAlone =>
        !At(CoapSeams.ExchangesToMessaging).Any() && !At(CoapSeams.MessagingToSerializer).Any() && !IsReplaced(CoapStages.Serializer);

    /// <summary>Whether blocks of a user stand in the place of a stage.</summary>
    internal bool IsReplaced<TBlocks>(CoapStage<TBlocks> stage)
        where TBlocks : class => _replacements.ContainsKey(stage);

    /// <summary>Makes the blocks that stand in the place of a stage.</summary>
    /// <returns>Null where the stage is not replaced.</returns>
    internal TBlocks? Make<TBlocks>(CoapStage<TBlocks> stage, CoapStageContext context)
        where TBlocks : class => !_replacements.TryGetValue(stage, out Delegate? factory) ? null
            : ((Func<CoapStageContext, TBlocks>)factory)(context)
                ?? throw new InvalidOperationException($"The factory for the {stage} stage gave null. It makes new blocks for each shard.");

    /// <summary>Notes that a block is linked.</summary>
    /// <exception cref="InvalidOperationException">It was linked before: its items would come out at the first place only.</exception>
    internal void Take(object block, string place)
    {
        if (!_given.TryAdd(block, block))
        {
            throw new InvalidOperationException(
                $"The factory of the block {place} gave a block that stands somewhere else already. It is called once for each shard, and "
                    + "makes a new block each time.");
        }
    }

    /// <summary>From here on nothing can be inserted.</summary>
    internal void Take() => _isTaken = true;

    private void ThrowIfTaken(string method)
    {
        if (_isTaken)
        {
            throw new InvalidOperationException(
                $"{method} before the endpoint, client or server is made: its blocks are linked at that moment, and this one would never "
                    + "be. Make new options for another endpoint.");
        }
    }

    internal IEnumerable<Func<IPropagatorBlock<T, T>>> At<T>(CoapSeam<T> seam) =>
        _inserts.Where(insert => insert.Seam == seam).Select(insert => (Func<IPropagatorBlock<T, T>>)insert.Factory);
}
