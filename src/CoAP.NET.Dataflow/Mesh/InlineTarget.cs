using System.Threading.Tasks.Dataflow;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Mesh;

/// <summary>
/// A Dataflow target without a queue: <see cref="OfferMessage"/> runs the stage before it returns. It is the end of a path; a stage with
/// results derives from <see cref="InlineBlock{TInput, TOutput}"/>. It answers Accepted (or NotAvailable) while open, and
/// DecliningPermanently after <see cref="InlineBlockBase.Complete"/> or <see cref="InlineBlockBase.Fault"/>. It never answers Declined,
/// which permanently blocks a standard block in front of it, or Postponed.
/// </summary>
internal abstract class InlineTarget<TInput> : InlineBlockBase, ITargetBlock<TInput>
{
    private protected InlineTarget(CoapCounters counters, ILogger logger)
        : base(counters, logger)
    {
    }

    /// <summary>
    /// Runs the stage on an item, on the calling thread. Exceptions of the stage are counted and logged, and do not leave this method.
    /// </summary>
    /// <param name="messageHeader">The offer's id.</param>
    /// <param name="messageValue">The item.</param>
    /// <param name="source">The offering block; may be null.</param>
    /// <param name="consumeToAccept">Whether the item must be taken from the source.</param>
    /// <returns>Accepted, NotAvailable or DecliningPermanently.</returns>
    /// <exception cref="ArgumentException">The header is invalid, or the item must be consumed and there is no source.</exception>
    public DataflowMessageStatus OfferMessage(
        DataflowMessageHeader messageHeader, TInput messageValue, ISourceBlock<TInput>? source, bool consumeToAccept)
    {
        CheckOffer(messageHeader, source, consumeToAccept);
        if (consumeToAccept)
        {
            return ConsumeAndRun(messageHeader, source!);
        }

        return Run(messageValue) ? DataflowMessageStatus.Accepted : DataflowMessageStatus.DecliningPermanently;
    }

    private protected static void CheckOffer(DataflowMessageHeader messageHeader, ISourceBlock<TInput>? source, bool consumeToAccept)
    {
        if (!messageHeader.IsValid)
        {
            throw new ArgumentException("The header of the offer is invalid. Its id must not be zero.", nameof(messageHeader));
        }

        if (consumeToAccept && source is null)
        {
            throw new ArgumentException("An offer that must be consumed needs its source.", nameof(consumeToAccept));
        }
    }

    /// <summary>
    /// Runs the stage on an item, like an offer without its overhead. For the beginning of a path. An inline block that is linked before
    /// this one does the same within its own offer, so a link costs one stack frame (<see cref="InlineBlock{TInput, TOutput}.Offer"/>).
    /// </summary>
    /// <param name="item">The item, taken over when the result is true.</param>
    /// <returns>Whether the block was open.</returns>
    internal bool Run(TInput item)
    {
        if (!TryEnter())
        {
            return false;
        }

        try
        {
            Process(item);
        }
#pragma warning disable CA1031 // rule of the mesh: stage code never throws into the previous block
        catch (Exception exception)
#pragma warning restore CA1031
        {
            GiveUp(item, exception);
        }

        Leave();
        return true;
    }

    /// <summary>
    /// The stage. Called on the offering thread, between <see cref="InlineBlockBase.TryEnter"/> and <see cref="InlineBlockBase.Leave"/>;
    /// several threads may run it at a time. Its exceptions go to <see cref="GiveUp"/>.
    /// </summary>
    /// <param name="item">The item, now owned by the stage.</param>
    internal abstract void Process(TInput item);

    /// <summary>
    /// Handles an exception of <see cref="Process"/>: counts and logs it, then calls <see cref="OnFailed"/>. Does not throw.
    /// </summary>
    /// <param name="item">The item.</param>
    /// <param name="exception">The exception.</param>
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
    /// Called after <see cref="Process"/> threw; the exception is counted and logged. Does nothing by default: the progress of the stage is
    /// unknown, and a buffer that is returned twice is worse than one that is left to the garbage collector.
    /// </summary>
    private protected virtual void OnFailed(TInput item)
    {
    }

    private DataflowMessageStatus ConsumeAndRun(DataflowMessageHeader messageHeader, ISourceBlock<TInput> source)
    {
        // Inside the gate while consuming, so that a Complete in between does not lose an item taken from the source.
        if (!TryEnter())
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
#pragma warning disable CA1031 // a source of the application must not take the pipeline down
        catch (Exception exception)
#pragma warning restore CA1031
        {
            Failed(exception);
        }

        Leave();
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
