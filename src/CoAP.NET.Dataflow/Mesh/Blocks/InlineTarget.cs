using System.Threading.Tasks.Dataflow;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Mesh;

/// <summary>
/// A Dataflow target without a queue: <see cref="OfferMessage"/> runs the stage before it returns. The end of a path; a stage that gives
/// something derives from <see cref="InlineBlock{TInput, TOutput}"/>. It answers Accepted (or NotAvailable) while open and
/// DecliningPermanently after <see cref="InlineNode.Complete"/> or <see cref="InlineNode.Fault"/>; never Declined, which wedges a standard
/// block before it for good, or Postponed.
/// </summary>
/// <typeparam name="TInput">What it takes.</typeparam>
internal abstract class InlineTarget<TInput> : InlineNode, ITargetBlock<TInput>
{
    private protected InlineTarget(CoapCounters counters, ILogger logger)
        : base(counters, logger)
    {
    }

    /// <summary>
    /// Runs the stage on an item, on the calling thread. What the stage throws is counted and logged, and does not leave this method.
    /// </summary>
    /// <param name="messageHeader">The offer's id.</param>
    /// <param name="messageValue">The item.</param>
    /// <param name="source">Who offers; may be null.</param>
    /// <param name="consumeToAccept">Whether the item must be taken from the source.</param>
    /// <returns>Accepted, NotAvailable or DecliningPermanently.</returns>
    /// <exception cref="ArgumentException">The header is not valid, or the item must be consumed and there is no source.</exception>
    public DataflowMessageStatus OfferMessage(
        DataflowMessageHeader messageHeader, TInput messageValue, ISourceBlock<TInput>? source, bool consumeToAccept)
    {
        if (!messageHeader.IsValid)
        {
            throw new ArgumentException("The header of an offer must have an id other than zero.", nameof(messageHeader));
        }

        if (consumeToAccept)
        {
            return ConsumeAndRun(
                messageHeader,
                source ?? throw new ArgumentException("An offer that must be consumed needs its source.", nameof(consumeToAccept)));
        }

        return Run(messageValue) ? DataflowMessageStatus.Accepted : DataflowMessageStatus.DecliningPermanently;
    }

    /// <summary>
    /// Runs the stage on an item, as an offer without the ceremony. For who begins a path. A block of this kind that is linked before this
    /// one does the same within its own offer, so that a link costs one frame of the stack
    /// (<see cref="InlineBlock{TInput, TOutput}.Offer"/>).
    /// </summary>
    /// <param name="item">The item, taken over when the result is true.</param>
    /// <returns>Whether the block was open.</returns>
    internal bool Run(TInput item)
    {
        if (!TryEnter(out InlineSeat? seat))
        {
            return false;
        }

        try
        {
            Process(item);
        }
#pragma warning disable CA1031 // law of the mesh: stage code never throws into the block before it
        catch (Exception exception)
#pragma warning restore CA1031
        {
            GiveUp(item, exception);
        }

        Leave(seat);
        return true;
    }

    /// <summary>The stage. Called on the offering thread, between <see cref="InlineNode.TryEnter"/> and <see cref="InlineNode.Leave"/>;
    /// several threads may be in it at a time. What it throws goes to <see cref="GiveUp"/>.</summary>
    /// <param name="item">The item, now owned by the stage.</param>
    internal abstract void Process(TInput item);

    /// <summary>Deals with what <see cref="Process"/> threw: counted and logged, then <see cref="OnFailed"/>. Does not throw.</summary>
    /// <param name="item">The item.</param>
    /// <param name="exception">What was thrown.</param>
    internal void GiveUp(TInput item, Exception exception)
    {
        Failed(exception);
        try
        {
            OnFailed(item);
        }
#pragma warning disable CA1031 // see Run
        catch (Exception another)
#pragma warning restore CA1031
        {
            Failed(another);
        }
    }

    /// <summary>
    /// Called after <see cref="Process"/> threw, which was counted and logged. Does nothing by default: nobody knows how far the stage
    /// came, and a buffer that is given back twice is worse than one that is lost to the garbage collector.
    /// </summary>
    /// <param name="item">The item.</param>
    private protected virtual void OnFailed(TInput item)
    {
    }

    private DataflowMessageStatus ConsumeAndRun(DataflowMessageHeader messageHeader, ISourceBlock<TInput> source)
    {
        // Inside while consuming, so that what was taken from the source is not lost to a Complete in between.
        if (!IsOpen || !TryEnter(out InlineSeat? seat))
        {
            return DataflowMessageStatus.DecliningPermanently;
        }

        DataflowMessageStatus status = DataflowMessageStatus.NotAvailable;
        try
        {
            TInput? item = source.ConsumeMessage(messageHeader, this, out bool consumed);
            if (consumed)
            {
                status = DataflowMessageStatus.Accepted;
                RunInside(item!);
            }
        }
#pragma warning disable CA1031 // a source of a user must not take the pipeline down
        catch (Exception exception)
#pragma warning restore CA1031
        {
            Failed(exception);
        }

        Leave(seat);
        return status;
    }

    private void RunInside(TInput item)
    {
        try
        {
            Process(item);
        }
#pragma warning disable CA1031 // see Run
        catch (Exception exception)
#pragma warning restore CA1031
        {
            GiveUp(item, exception);
        }
    }
}
