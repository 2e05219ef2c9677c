using System.Threading.Tasks.Dataflow;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Mesh;

/// <summary>
/// What all blocks without a queue have in common: a gate, by which <see cref="Completion"/> waits for what is inside, and one end.
/// </summary>
internal abstract class InlineNode : IDataflowBlock
{
    private readonly TaskCompletionSource _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private InlineGate _gate = new();
    private Exception? _fault;

    private protected InlineNode(CoapCounters counters, ILogger logger)
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

    /// <summary>Whether it takes items.</summary>
    private protected bool IsOpen => _gate.IsOpen;

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
    /// Completes without waiting for what is inside, for the end of a grace period: user code that never returns must not keep the block
    /// from ending. What still comes out of it is offered to targets that may have ended, and then counted as declined.
    /// </summary>
    internal void Abandon()
    {
        Close(null);
        if (_gate.TryFinish(evenIfInside: true))
        {
            Finish();
        }
    }

    /// <summary>Enters the block; pairs with <see cref="Leave"/> when true.</summary>
    /// <param name="seat">What <see cref="Leave"/> must get.</param>
    /// <returns>Whether the block was open.</returns>
    internal bool TryEnter(out InlineSeat? seat)
    {
        if (_gate.TryEnter(out seat))
        {
            return true;
        }

        FinishIfDrained();
        return false;
    }

    /// <summary>See <see cref="TryEnter"/>.</summary>
    /// <param name="seat">What <see cref="TryEnter"/> gave.</param>
    internal void Leave(InlineSeat? seat)
    {
        if (_gate.Leave(seat))
        {
            FinishIfDrained();
        }
    }

    /// <summary>Called once, when <see cref="Completion"/> has ended.</summary>
    /// <param name="fault">The error; null when the block was completed.</param>
    private protected virtual void OnFinished(Exception? fault)
    {
    }

    /// <summary>Counts and logs what a stage or a linked block threw. Never throws itself, although loggers may.</summary>
    private protected void Failed(Exception exception) => InlineFailure.Report(Counters, Logger, exception);

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
