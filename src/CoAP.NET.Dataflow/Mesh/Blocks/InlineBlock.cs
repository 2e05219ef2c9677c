using System.Threading.Tasks.Dataflow;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Mesh;

/// <summary>
/// A Dataflow block without a queue: offering an item to it runs the stage and offers what comes out to the linked targets, before the call
/// returns. To other blocks it looks like any propagator. As a target see <see cref="InlineTarget{TInput}"/>. As a source it keeps nothing:
/// a target that postpones an offer has declined it, and finds nothing when it comes back.
/// </summary>
/// <typeparam name="TInput">What it takes.</typeparam>
/// <typeparam name="TOutput">What it gives.</typeparam>
internal abstract class InlineBlock<TInput, TOutput> : InlineTarget<TInput>, IPropagatorBlock<TInput, TOutput>
{
    private readonly InlineLinks<TOutput> _links;

    private protected InlineBlock(CoapCounters counters, ILogger logger)
        : base(counters, logger) => _links = new InlineLinks<TOutput>(this, counters, logger);

    /// <summary>
    /// A linked target faulted while this block was open: what is offered to it gets lost from now on. Raised once for each link, on the
    /// thread that offered or on the one that faulted the target, never under a lock.
    /// </summary>
    internal event Action<Exception>? LinkedTargetFaulted
    {
        add => _links.TargetFaulted += value;
        remove => _links.TargetFaulted -= value;
    }

    /// <summary>Links a target. Targets are offered each item in the order of their links until one takes it.</summary>
    /// <param name="target">The target.</param>
    /// <param name="linkOptions">Append, MaxMessages and PropagateCompletion as in any Dataflow block.</param>
    /// <returns>Disposing it takes the link away; an offer under way on another thread may still arrive.</returns>
    public IDisposable LinkTo(ITargetBlock<TOutput> target, DataflowLinkOptions linkOptions) => _links.Add(target, linkOptions, null);

    /// <summary>
    /// Links a target for the items that pass a filter. Like the extension method of the same form, but a target that faults is noticed
    /// behind the filter too.
    /// </summary>
    /// <param name="target">The target.</param>
    /// <param name="linkOptions">Append, MaxMessages and PropagateCompletion as in any Dataflow block.</param>
    /// <param name="predicate">The filter. Link something for the rest too: what no target takes is counted as declined.</param>
    /// <returns>Disposing it takes the link away; an offer under way on another thread may still arrive.</returns>
    public IDisposable LinkTo(ITargetBlock<TOutput> target, DataflowLinkOptions linkOptions, Predicate<TOutput> predicate)
    {
        ArgumentNullException.ThrowIfNull(predicate);
        return _links.Add(target, linkOptions, predicate);
    }

    /// <summary>Links a target for the items that pass a filter, without propagation of completion.</summary>
    /// <param name="target">The target.</param>
    /// <param name="predicate">The filter. Link something for the rest too: what no target takes is counted as declined.</param>
    /// <returns>Disposing it takes the link away; an offer under way on another thread may still arrive.</returns>
    public IDisposable LinkTo(ITargetBlock<TOutput> target, Predicate<TOutput> predicate) =>
        LinkTo(target, new DataflowLinkOptions(), predicate);

    /// <inheritdoc/>
    TOutput? ISourceBlock<TOutput>.ConsumeMessage(DataflowMessageHeader messageHeader, ITargetBlock<TOutput> target,
        out bool messageConsumed)
    {
        messageConsumed = false;
        return default;
    }

    /// <inheritdoc/>
    bool ISourceBlock<TOutput>.ReserveMessage(DataflowMessageHeader messageHeader, ITargetBlock<TOutput> target) => false;

    /// <inheritdoc/>
    void ISourceBlock<TOutput>.ReleaseReservation(DataflowMessageHeader messageHeader, ITargetBlock<TOutput> target) =>
        throw new InvalidOperationException("This block keeps no message, so none can be reserved or released.");

    /// <summary>
    /// Offers an item to the linked targets from outside: another stage's thread, a timer, a client's call. Safe for several threads.
    /// Within <see cref="InlineTarget{TInput}.Process"/> use <see cref="Offer"/>, which works for what is inside after
    /// <see cref="InlineNode.Complete"/> too.
    /// </summary>
    /// <param name="item">The item; taken over in any case.</param>
    /// <returns>Whether a target took it; otherwise, also when the block is complete, it was counted and <see cref="OnDeclined"/> was
    /// called.</returns>
    internal bool Emit(TOutput item)
    {
        if (!TryEnter(out InlineSeat? seat))
        {
            Decline(item);
            return false;
        }

        bool accepted = Offer(item);
        Leave(seat);
        return accepted;
    }

    /// <summary>
    /// Offers a result of the stage to the linked targets. Does not throw. Where the only target is a block of this kind its stage runs in
    /// here, as <see cref="InlineTarget{TInput}.Run"/> would run it: so a link between two stages is one frame of the stack.
    /// </summary>
    /// <param name="item">The result; taken over in any case.</param>
    /// <returns>Whether one took it; otherwise it was counted, and <see cref="OnDeclined"/> or <see cref="OnLost"/> was called.</returns>
    private protected bool Offer(TOutput item)
    {
        if (_links.Next is { } next && next.TryEnter(out InlineSeat? seat))
        {
            try
            {
                next.Process(item);
            }
#pragma warning disable CA1031 // law of the mesh: stage code never throws into the block before it
            catch (Exception exception)
#pragma warning restore CA1031
            {
                next.GiveUp(item, exception);
            }

            next.Leave(seat);
            return true;
        }

        InlineOutcome outcome = _links.Offer(item);
        return outcome == InlineOutcome.Accepted || NotAccepted(item, outcome);
    }

    /// <summary>Deals with an item that no target took, already counted. Gives its buffer back; a stage may answer 5.03 besides.</summary>
    /// <param name="item">The item, which still belongs to the block.</param>
    private protected virtual void OnDeclined(TOutput item) => (item as IDisposable)?.Dispose();

    /// <summary>
    /// Deals with an item whose target threw, already counted and logged. The target may have kept it, so its buffer must not be given
    /// back.
    /// </summary>
    /// <param name="item">The item, which no longer belongs to the block.</param>
    private protected virtual void OnLost(TOutput item)
    {
    }

    /// <inheritdoc/>
    private protected override void OnFinished(Exception? fault) => _links.Close(fault);

    private bool NotAccepted(TOutput item, InlineOutcome outcome)
    {
        if (outcome == InlineOutcome.Declined)
        {
            if (item is IPausableItem { Hold: { CanWait: true } hold } && TryOfferLater(item, hold))
            {
                return true;
            }

            Decline(item);
            return false;
        }

        try
        {
            OnLost(item);
        }
#pragma warning disable CA1031 // law of the mesh: stage code never throws into the block before it
        catch (Exception exception)
#pragma warning restore CA1031
        {
            Failed(exception);
        }

        return false;
    }

    /// <summary>
    /// Nothing of a connection is dropped: what no target has room for waits for it, and meanwhile nothing more is read from there.
    /// </summary>
    private bool TryOfferLater(TOutput item, ReadingHold hold)
    {
        if (_links.OfferLater(item) is not { } offered)
        {
            return false;
        }

        Counters.Add(CoapCounter.ReadingPauses);
        hold.Begin();
        _ = FinishAsync(offered, item, hold);
        return true;
    }

    private async Task FinishAsync(Task<bool> offered, TOutput item, ReadingHold hold)
    {
        try
        {
            if (!await offered.ConfigureAwait(false))
            {
                Decline(item);
            }
        }
#pragma warning disable CA1031 // a linked block of a user must not take the pipeline down
        catch (Exception exception)
#pragma warning restore CA1031
        {
            Failed(exception);
        }

        hold.End();
    }

    private void Decline(TOutput item)
    {
        Counters.Add(CoapCounter.Declined);
        try
        {
            OnDeclined(item);
        }
#pragma warning disable CA1031 // see NotAccepted
        catch (Exception exception)
#pragma warning restore CA1031
        {
            Failed(exception);
        }
    }
}
