using System.Threading.Tasks.Dataflow;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Pipeline;

/// <summary>
/// A Dataflow block without a queue: <see cref="OfferMessage"/> runs the stage and offers what comes out to the linked targets before it returns.
/// To other blocks it looks like any propagator. As a target it answers Accepted (or NotAvailable) while open and DecliningPermanently after
/// <see cref="Complete"/>, never Declined or Postponed. As a source it keeps nothing: a target that postpones has declined.
/// </summary>
/// <typeparam name="TInput">What it takes.</typeparam>
/// <typeparam name="TOutput">What it gives.</typeparam>
public abstract class InlineBlock<TInput, TOutput> : IPropagatorBlock<TInput, TOutput>
{
    private readonly TaskCompletionSource _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly InlineLinks<TOutput> _links;
    private volatile bool _completed;

    private protected InlineBlock(CoapCounters counters, ILogger logger)
    {
        Counters = counters;
        Logger = logger;
        _links = new InlineLinks<TOutput>(this, counters, logger);
    }

    /// <inheritdoc/>
    public Task Completion => _completion.Task;

    /// <summary>The counters of the endpoint.</summary>
    private protected CoapCounters Counters { get; }

    /// <summary>The log of the endpoint.</summary>
    private protected ILogger Logger { get; }

    /// <summary>Runs the stage on an item and offers its results to the linked targets, on the calling thread. Takes no part in postponing.</summary>
    /// <param name="messageHeader">The offer's id.</param>
    /// <param name="messageValue">The item.</param>
    /// <param name="source">Who offers; may be null.</param>
    /// <param name="consumeToAccept">Whether the item must be taken from the source.</param>
    /// <returns>Accepted, NotAvailable or DecliningPermanently.</returns>
    public DataflowMessageStatus OfferMessage(DataflowMessageHeader messageHeader, TInput messageValue, ISourceBlock<TInput>? source, bool consumeToAccept)
    {
        if (!messageHeader.IsValid)
        {
            throw new ArgumentException("The header of an offer must have an id other than zero.", nameof(messageHeader));
        }

        if (_completed)
        {
            return DataflowMessageStatus.DecliningPermanently;
        }

        if (consumeToAccept)
        {
            if (source is null)
            {
                throw new ArgumentException("An offer that must be consumed needs its source.", nameof(consumeToAccept));
            }

            messageValue = source.ConsumeMessage(messageHeader, this, out bool consumed)!;
            if (!consumed)
            {
                return DataflowMessageStatus.NotAvailable;
            }
        }

        Run(messageValue);
        return DataflowMessageStatus.Accepted;
    }

    /// <inheritdoc/>
    public IDisposable LinkTo(ITargetBlock<TOutput> target, DataflowLinkOptions linkOptions) => _links.Add(target, linkOptions);

    /// <inheritdoc/>
    public void Complete() => Finish(null);

    /// <summary>Ends the block with an error, which goes on to targets that were linked with propagation.</summary>
    /// <param name="exception">The error.</param>
    public void Fault(Exception exception)
    {
        ArgumentNullException.ThrowIfNull(exception);
        Finish(exception);
    }

    /// <inheritdoc/>
    TOutput? ISourceBlock<TOutput>.ConsumeMessage(DataflowMessageHeader messageHeader, ITargetBlock<TOutput> target, out bool messageConsumed)
    {
        messageConsumed = false;
        return default;
    }

    /// <inheritdoc/>
    bool ISourceBlock<TOutput>.ReserveMessage(DataflowMessageHeader messageHeader, ITargetBlock<TOutput> target) => false;

    /// <inheritdoc/>
    void ISourceBlock<TOutput>.ReleaseReservation(DataflowMessageHeader messageHeader, ITargetBlock<TOutput> target) =>
        throw new InvalidOperationException("This block keeps no message, so none can be reserved or released.");

    /// <summary>Runs the stage on one item and turns anything unexpected into a counted, logged verdict.</summary>
    internal void Run(TInput item)
    {
        try
        {
            Process(item);
        }
#pragma warning disable CA1031 // law of the mesh: stage code never throws into the block before it
        catch (Exception exception)
#pragma warning restore CA1031
        {
            Counters.Add(CoapCounter.StageErrors);
            Log.StageFailed(Logger, exception);
            OnFailed(item);
        }
    }

    /// <summary>The stage. Called on the offering thread; several threads may be in it at a time.</summary>
    /// <param name="item">The item, now owned by the stage.</param>
    private protected abstract void Process(TInput item);

    /// <summary>Gives back what an item holds after the stage failed on it.</summary>
    /// <param name="item">The item.</param>
    private protected virtual void OnFailed(TInput item) => (item as IDisposable)?.Dispose();

    /// <summary>Deals with a result that no target took. Already counted.</summary>
    /// <param name="item">The result.</param>
    private protected virtual void OnDeclined(TOutput item) => (item as IDisposable)?.Dispose();

    /// <summary>Offers a result to the linked targets.</summary>
    /// <param name="item">The result.</param>
    /// <returns>Whether one took it; otherwise <see cref="OnDeclined"/> was called.</returns>
    private protected bool Offer(TOutput item)
    {
        if (_links.Offer(item))
        {
            return true;
        }

        Counters.Add(CoapCounter.Declined);
        OnDeclined(item);
        return false;
    }

    private void Finish(Exception? exception)
    {
        if (!_links.TryClose())
        {
            return;
        }

        _completed = true;
        if (exception is null)
        {
            _completion.TrySetResult();
        }
        else
        {
            _completion.TrySetException(exception);
            _ = _completion.Task.Exception;
        }

        _links.Propagate(exception);
    }
}
