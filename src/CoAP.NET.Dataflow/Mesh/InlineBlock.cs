using System.Threading.Tasks.Dataflow;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Mesh;

/// <summary>
/// A Dataflow block without a queue: offering an item runs the stage and offers its results to the linked targets before the call returns.
/// Other blocks see an ordinary propagator. For its behaviour as a target see <see cref="InlineTarget{TInput}"/>. As a source it keeps
/// nothing: a target that postpones an offer has declined it, and finds nothing later.
/// </summary>
internal abstract class InlineBlock<TInput, TOutput> : InlineTarget<TInput>, IPropagatorBlock<TInput, TOutput>
{
    private readonly InlineBlockLinks<TOutput> _links;

    // Items that a linked block takes when it has room.
    private int _waiting;
    private TaskCompletionSource? _taken;

    private protected InlineBlock(CoapCounters counters, ILogger logger)
        : base(counters, logger) => _links = new InlineBlockLinks<TOutput>(this, counters, logger);

    /// <summary>
    /// Raised when a linked target faulted while this block was open: items for it are lost from now on. Raised once for each link, on the
    /// offering or the faulting thread, never under a lock.
    /// </summary>
    internal event Action<Exception>? LinkedTargetFaulted
    {
        add => _links.TargetFaulted += value;
        remove => _links.TargetFaulted -= value;
    }

    /// <summary>Links a target. Each item is offered to the targets in the order of their links until one accepts it.</summary>
    /// <param name="target">The target.</param>
    /// <param name="linkOptions">Append, MaxMessages and PropagateCompletion as in any Dataflow block.</param>
    /// <returns>Removes the link on disposal; an offer in progress on another thread may still arrive.</returns>
    public IDisposable LinkTo(ITargetBlock<TOutput> target, DataflowLinkOptions linkOptions) => _links.Add(target, linkOptions, null);

    /// <summary>
    /// Links a target for the items that pass a filter. Unlike the extension method of the same form, it also notices a fault of the
    /// target.
    /// </summary>
    /// <param name="target">The target.</param>
    /// <param name="linkOptions">Append, MaxMessages and PropagateCompletion as in any Dataflow block.</param>
    /// <param name="predicate">The filter. Link a target for the other items too: items that no target accepts count as declined.</param>
    /// <returns>Removes the link on disposal; an offer in progress on another thread may still arrive.</returns>
    public IDisposable LinkTo(ITargetBlock<TOutput> target, DataflowLinkOptions linkOptions, Predicate<TOutput> predicate)
    {
        ArgumentNullException.ThrowIfNull(predicate);
        return _links.Add(target, linkOptions, predicate);
    }

    /// <summary>Links a target for the items that pass a filter, without propagation of completion.</summary>
    /// <param name="target">The target.</param>
    /// <param name="predicate">The filter. Link a target for the other items too: items that no target accepts count as declined.</param>
    /// <returns>Removes the link on disposal; an offer in progress on another thread may still arrive.</returns>
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
    /// Offers an item to the linked targets from outside of <see cref="InlineTarget{TInput}.Process"/>: a timer, a call of a client, a
    /// handler that answers. Thread-safe. Enters the block; <see cref="Offer"/> is for items that are inside already.
    /// </summary>
    /// <param name="item">The item; always taken over.</param>
    /// <returns>
    /// Whether a target accepted it. Otherwise, also when the block is complete, it was counted and <see cref="OnDeclined"/> was called.
    /// </returns>
    internal bool Emit(TOutput item)
    {
        if (!TryEnter())
        {
            Decline(item);
            return false;
        }

        bool accepted = Offer(item);
        Leave();
        return accepted;
    }

    /// <inheritdoc/>
    internal override Task WhenTakenAsync()
    {
        TaskCompletionSource taken = new(TaskCreationOptions.RunContinuationsAsynchronously);
        Interlocked.Exchange(ref _taken, taken)?.TrySetResult();
        if (Volatile.Read(ref _waiting) == 0)
        {
            taken.TrySetResult();
        }

        return taken.Task;
    }

    /// <summary>
    /// Offers a result of the stage to the linked targets. Does not throw. Only for items inside the block. If the only target is a block
    /// of this kind, the item does not enter it, but passes: <see cref="InlineBlockBase.Completion"/> of this block, which ends first,
    /// already waits for the item.
    /// </summary>
    /// <param name="item">The result; always taken over.</param>
    /// <returns>
    /// Whether a target accepted it. Otherwise it was counted, and <see cref="OnDeclined"/> or <see cref="OnLost"/> was called.
    /// </returns>
    private protected bool Offer(TOutput item)
    {
        if (_links.Next is { IsOpen: true } next)
        {
            try
            {
                next.Process(item);
            }
#pragma warning disable CA1031 // rule of the mesh: stage code never throws into the previous block
            catch (Exception exception)
#pragma warning restore CA1031
            {
                next.GiveUp(item, exception);
            }

            return true;
        }

        InlineOfferOutcome outcome = _links.Offer(item);
        return outcome == InlineOfferOutcome.Accepted || NotAccepted(item, outcome);
    }

    /// <summary>
    /// Handles an item that no target accepted; it is already counted. Disposes its buffer; a stage may also answer 5.03.
    /// </summary>
    /// <param name="item">The item, which still belongs to the block.</param>
    private protected virtual void OnDeclined(TOutput item) => (item as IDisposable)?.Dispose();

    /// <summary>
    /// Handles an item whose target threw; it is already counted and logged. The target may have kept it, so its buffer must not be
    /// returned.
    /// </summary>
    /// <param name="item">The item, which no longer belongs to the block.</param>
    private protected virtual void OnLost(TOutput item)
    {
    }

    /// <inheritdoc/>
    private protected override void OnFinished(Exception? fault) => _links.Close(fault);

    private bool NotAccepted(TOutput item, InlineOfferOutcome outcome)
    {
        if (outcome == InlineOfferOutcome.Declined)
        {
            if (item is IReadPausingItem { ReadPause: { CanWait: true } hold } && TryOfferLater(item, hold))
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
#pragma warning disable CA1031 // rule of the mesh: stage code never throws into the previous block
        catch (Exception exception)
#pragma warning restore CA1031
        {
            Failed(exception);
        }

        return false;
    }

    /// <summary>
    /// Items of a connection are never dropped: an item without room waits, and meanwhile nothing more is read from the connection.
    /// </summary>
    private bool TryOfferLater(TOutput item, ReadPause hold)
    {
        Interlocked.Increment(ref _waiting);
        if (_links.OfferLater(item) is not { } offered)
        {
            EndWaiting();
            return false;
        }

        Counters.Add(CoapCounter.ReadingPauses);
        hold.Begin();
        _ = FinishAsync(offered, item, hold);
        return true;
    }

    private async Task FinishAsync(Task<bool> offered, TOutput item, ReadPause hold)
    {
        try
        {
            if (!await offered.ConfigureAwait(false))
            {
                Decline(item);
            }
        }
#pragma warning disable CA1031 // a linked block of the application must not take the pipeline down
        catch (Exception exception)
#pragma warning restore CA1031
        {
            Failed(exception);
        }

        hold.End();
        EndWaiting();
    }

    private void EndWaiting()
    {
        if (Interlocked.Decrement(ref _waiting) == 0)
        {
            Volatile.Read(ref _taken)?.TrySetResult();
        }
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
