using System.Threading.Tasks.Dataflow;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET;

/// <summary>
/// A base for a Dataflow block without a queue: it processes an item inside of the offer, on the offering thread, as the stages of an
/// endpoint do.
/// </summary>
/// <remarks>
/// <para>
/// An item costs some nanoseconds, and no task. The block works in any Dataflow network. In an endpoint it loses nothing: when no linked
/// block takes the result, <see cref="Process"/> returns false, and the stage in front answers 5.03, or stops reading a connection.
/// </para>
/// <para>
/// Several threads may run <see cref="Process"/> at a time. An exception of it faults the block, which faults the endpoint.
/// <see cref="Completion"/> ends after <see cref="Complete"/>, when no thread is inside.
/// </para>
/// </remarks>
/// <typeparam name="TInput">The type of the items that it takes.</typeparam>
/// <typeparam name="TOutput">The type of the items that it passes on.</typeparam>
public abstract class CoapInlineBlock<TInput, TOutput> : IPropagatorBlock<TInput, TOutput>
{
    private readonly Core _core;

    /// <summary>Creates a block without links.</summary>
    protected CoapInlineBlock() => _core = new Core(this);

    /// <inheritdoc/>
    public Task Completion => _core.Completion;

    /// <inheritdoc/>
    public void Complete() => _core.Complete();

    /// <inheritdoc/>
    public void Fault(Exception exception) => _core.Fault(exception);

    /// <inheritdoc/>
    public DataflowMessageStatus OfferMessage(
        DataflowMessageHeader messageHeader, TInput messageValue, ISourceBlock<TInput>? source, bool consumeToAccept) =>
        _core.Take(messageHeader, messageValue, source, consumeToAccept);

    /// <summary>Links a target. Each item is offered to the targets in the order of their links until one takes it.</summary>
    /// <param name="target">The target.</param>
    /// <param name="linkOptions">Append, MaxMessages and PropagateCompletion as in any Dataflow block.</param>
    /// <returns>Removes the link on disposal.</returns>
    public IDisposable LinkTo(ITargetBlock<TOutput> target, DataflowLinkOptions linkOptions) => _core.LinkTo(target, linkOptions);

    /// <inheritdoc/>
    TOutput? ISourceBlock<TOutput>.ConsumeMessage(
        DataflowMessageHeader messageHeader, ITargetBlock<TOutput> target, out bool messageConsumed) =>
        ((ISourceBlock<TOutput>)_core).ConsumeMessage(messageHeader, target, out messageConsumed);

    /// <inheritdoc/>
    bool ISourceBlock<TOutput>.ReserveMessage(DataflowMessageHeader messageHeader, ITargetBlock<TOutput> target) => false;

    /// <inheritdoc/>
    void ISourceBlock<TOutput>.ReleaseReservation(DataflowMessageHeader messageHeader, ITargetBlock<TOutput> target) =>
        ((ISourceBlock<TOutput>)_core).ReleaseReservation(messageHeader, target);

    /// <summary>Processes an item.</summary>
    /// <remarks>It must not block. To drop a <see cref="CoapDatagram"/>, dispose it and return true.</remarks>
    /// <param name="item">The item. It belongs to the block, unless the result is false.</param>
    /// <returns>Whether the item is done: usually the result of <see cref="Offer"/>.</returns>
    protected abstract bool Process(TInput item);

    /// <summary>
    /// Passes an item on, in <see cref="Process"/>. An item of a connection waits until a linked block has room for it; meanwhile nothing
    /// more is read from the connection.
    /// </summary>
    /// <param name="item">The item.</param>
    /// <returns>Whether a linked block took it. Otherwise it still belongs to this block.</returns>
    protected bool Offer(TOutput item) => _core.PassOn(item);

    private sealed class Core(CoapInlineBlock<TInput, TOutput> block)
        : InlineBlock<TInput, TOutput>(new CoapCounters(), NullLogger.Instance)
    {
        public DataflowMessageStatus Take(
            DataflowMessageHeader messageHeader, TInput messageValue, ISourceBlock<TInput>? source, bool consumeToAccept)
        {
            CheckOffer(messageHeader, source, consumeToAccept);
            if (!TryEnter())
            {
                return DataflowMessageStatus.DecliningPermanently;
            }

            try
            {
                if (consumeToAccept)
                {
                    messageValue = source!.ConsumeMessage(messageHeader, block, out bool isConsumed)!;
                    if (!isConsumed)
                    {
                        return DataflowMessageStatus.NotAvailable;
                    }
                }

                // A standard block offers nothing more to a target that declined once. Only such blocks can be received from.
                return Process(messageValue, isDeclinable: !consumeToAccept && source is not IReceivableSourceBlock<TInput>);
            }
            finally
            {
                Leave();
            }
        }

        public bool PassOn(TOutput item) => Offer(item);

        internal override void Process(TInput item) => Process(item, isDeclinable: false);

        // It still belongs to the caller of Offer.
        private protected override void OnDeclined(TOutput item)
        {
        }

        private DataflowMessageStatus Process(TInput item, bool isDeclinable)
        {
            try
            {
                if (block.Process(item))
                {
                    return DataflowMessageStatus.Accepted;
                }
            }
#pragma warning disable CA1031 // as in any Dataflow block, an exception faults the block
            catch (Exception exception)
#pragma warning restore CA1031
            {
                Fault(exception);
                return DataflowMessageStatus.Accepted;
            }

            if (isDeclinable)
            {
                return DataflowMessageStatus.Declined;
            }

            (item as IDisposable)?.Dispose();
            return DataflowMessageStatus.Accepted;
        }
    }
}
