using System.Threading.Tasks.Dataflow;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Mesh;

/// <summary>
/// A Dataflow target without a queue: <see cref="OfferMessage"/> runs the stage before it returns. The end of a path; a stage that gives something
/// derives from <see cref="InlineBlock{TInput, TOutput}"/>. It answers Accepted (or NotAvailable) while open and DecliningPermanently after
/// <see cref="Complete"/> or <see cref="Fault"/>; never Declined, which wedges a standard block before it for good, or Postponed.
/// </summary>
/// <typeparam name="TInput">What it takes.</typeparam>
internal abstract class InlineTarget<TInput> : ITargetBlock<TInput>
{
    private readonly TaskCompletionSource _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private InlineGate _gate = new();
    private Exception? _fault;

    private protected InlineTarget(CoapCounters counters, ILogger logger)
    {
        Counters = counters;
        Logger = logger;
    }

    /// <summary>Ends after <see cref="Complete"/> or <see cref="Fault"/>, when nothing is inside the block any more.</summary>
    public Task Completion => _completion.Task;

    /// <summary>The counters of the endpoint.</summary>
    private protected CoapCounters Counters { get; }

    /// <summary>The log of the endpoint.</summary>
    private protected ILogger Logger { get; }

    /// <summary>Runs the stage on an item, on the calling thread. What the stage throws is counted and logged, and does not leave this method.</summary>
    /// <param name="messageHeader">The offer's id.</param>
    /// <param name="messageValue">The item.</param>
    /// <param name="source">Who offers; may be null.</param>
    /// <param name="consumeToAccept">Whether the item must be taken from the source.</param>
    /// <returns>Accepted, NotAvailable or DecliningPermanently.</returns>
    /// <exception cref="ArgumentException">The header is not valid, or the item must be consumed and there is no source.</exception>
    public DataflowMessageStatus OfferMessage(DataflowMessageHeader messageHeader, TInput messageValue, ISourceBlock<TInput>? source, bool consumeToAccept)
    {
        if (!messageHeader.IsValid)
        {
            throw new ArgumentException("The header of an offer must have an id other than zero.", nameof(messageHeader));
        }

        if (consumeToAccept)
        {
            return ConsumeAndRun(messageHeader, source ?? throw new ArgumentException("An offer that must be consumed needs its source.", nameof(consumeToAccept)));
        }

        return Run(messageValue) ? DataflowMessageStatus.Accepted : DataflowMessageStatus.DecliningPermanently;
    }

    /// <summary>Takes no more items. What is inside runs to its end; then <see cref="Completion"/> ends.</summary>
    public void Complete() => Close(null);

    /// <summary>Takes no more items and ends <see cref="Completion"/> with an error. Without effect after <see cref="Complete"/>.</summary>
    /// <param name="exception">The error.</param>
    public void Fault(Exception exception)
    {
        ArgumentNullException.ThrowIfNull(exception);
        Close(exception);
    }

    /// <summary>
    /// Completes without waiting for what is inside, for the end of a grace period: user code that never returns must not keep the block from ending.
    /// What still comes out of it is offered to targets that may have ended, and then counted as declined.
    /// </summary>
    internal void Abandon()
    {
        Close(null);
        if (_gate.TryFinish(evenIfInside: true))
        {
            Finish();
        }
    }

    /// <summary>Runs the stage on an item, as an offer without the ceremony. For links between blocks of this kind, and for the transport that begins a path.</summary>
    /// <param name="item">The item, taken over when the result is true.</param>
    /// <returns>Whether the block was open.</returns>
    internal bool Run(TInput item)
    {
        if (!_gate.TryEnter(out InlineSeat? seat))
        {
            FinishIfDrained();
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
            Failed(exception);
            GiveUp(item);
        }

        if (_gate.Leave(seat))
        {
            FinishIfDrained();
        }

        return true;
    }

    /// <summary>The stage. Called on the offering thread; several threads may be in it at a time.</summary>
    /// <param name="item">The item, now owned by the stage.</param>
    private protected abstract void Process(TInput item);

    /// <summary>
    /// Called after <see cref="Process"/> threw, which was counted and logged. Does nothing by default: nobody knows how far the stage came, and a buffer
    /// that is given back twice is worse than one that is lost to the garbage collector.
    /// </summary>
    /// <param name="item">The item.</param>
    private protected virtual void OnFailed(TInput item)
    {
    }

    /// <summary>Called once, when <see cref="Completion"/> has ended.</summary>
    /// <param name="fault">The error; null when the block was completed.</param>
    private protected virtual void OnFinished(Exception? fault)
    {
    }

    /// <summary>Enters the block from outside <see cref="OfferMessage"/>; pairs with <see cref="Leave"/> when true.</summary>
    private protected bool TryEnter(out InlineSeat? seat)
    {
        if (_gate.TryEnter(out seat))
        {
            return true;
        }

        FinishIfDrained();
        return false;
    }

    /// <summary>See <see cref="TryEnter"/>.</summary>
    private protected void Leave(InlineSeat? seat)
    {
        if (_gate.Leave(seat))
        {
            FinishIfDrained();
        }
    }

    /// <summary>Counts and logs what a stage or a linked block threw. Never throws itself, although loggers may.</summary>
    private protected void Failed(Exception exception) => InlineFailure.Report(Counters, Logger, exception);

    private DataflowMessageStatus ConsumeAndRun(DataflowMessageHeader messageHeader, ISourceBlock<TInput> source)
    {
        if (!_gate.IsOpen)
        {
            return DataflowMessageStatus.DecliningPermanently;
        }

        // Inside while consuming, so that what was taken from the source is not lost to a Complete in between.
        if (!TryEnter(out InlineSeat? seat))
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
            Failed(exception);
            GiveUp(item);
        }
    }

    private void GiveUp(TInput item)
    {
        try
        {
            OnFailed(item);
        }
#pragma warning disable CA1031 // see Run
        catch (Exception exception)
#pragma warning restore CA1031
        {
            Failed(exception);
        }
    }

    private void Close(Exception? fault)
    {
        // The first one says how the block ends; its write is seen by the one who finishes, because the gate is closed after it.
        if (_gate.IsOpen)
        {
            Interlocked.CompareExchange(ref _fault, fault, null);
        }

        if (_gate.TryClose())
        {
            FinishIfDrained();
        }
    }

    private void FinishIfDrained()
    {
        if (_gate.TryFinish())
        {
            Finish();
        }
    }

    private void Finish()
    {
        Exception? fault = _fault;
        if (fault is null)
        {
            _completion.TrySetResult();
        }
        else
        {
            _completion.TrySetException(fault);
            _ = _completion.Task.Exception; // observed: who cares awaits Completion
        }

        OnFinished(fault);
    }
}
