using System.Threading.Tasks.Dataflow;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Mesh;

/// <summary>The common base of all blocks without a queue: a gate, for which <see cref="Completion"/> waits, and one end.</summary>
internal abstract class InlineBlockBase : IDataflowBlock
{
    private readonly TaskCompletionSource _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private DataflowBlockThreadCounter _gate;
    private Exception? _fault;

    private protected InlineBlockBase(CoapCounters counters, ILogger logger)
    {
        Counters = counters;
        Logger = logger;
    }

    /// <summary>Completes after <see cref="Complete"/> or <see cref="Fault"/>, when the block is empty.</summary>
    public Task Completion => _completion.Task;

    private protected CoapCounters Counters { get; }

    private protected ILogger Logger { get; }

    /// <summary>Whether the block accepts items.</summary>
    internal bool IsOpen => _gate.IsOpen;

    /// <summary>Stops accepting items. Items inside are processed to the end; then <see cref="Completion"/> ends.</summary>
    public void Complete() => Close(null);

    /// <summary>Stops accepting items and ends <see cref="Completion"/> with an error. No effect after <see cref="Complete"/>.</summary>
    public void Fault(Exception exception)
    {
        ArgumentNullException.ThrowIfNull(exception);
        Close(exception);
    }

    /// <summary>Completes at the first moment from now on at which no item of the block waits for room in a linked block.</summary>
    internal virtual Task WhenTakenAsync() => Task.CompletedTask;

    /// <summary>
    /// Completes without waiting for the items inside, at the end of a grace period: user code that never returns must not keep the block
    /// from ending. Later results are offered to targets that may have ended, and then count as declined.
    /// </summary>
    internal void Abandon()
    {
        Close(null);
        if (_gate.TryFinish(evenIfInside: true))
        {
            Finish();
        }
    }

    /// <summary>Enters the block; pair it with <see cref="Leave"/> when true.</summary>
    /// <returns>Whether the block was open.</returns>
    private protected bool TryEnter()
    {
        if (_gate.TryEnter())
        {
            return true;
        }

        FinishIfDrained();
        return false;
    }

    /// <summary>Leaves the block; see <see cref="TryEnter"/>.</summary>
    private protected void Leave()
    {
        if (_gate.Leave())
        {
            FinishIfDrained();
        }
    }

    /// <summary>Called once, when <see cref="Completion"/> has ended.</summary>
    /// <param name="fault">The error; null when the block was completed.</param>
    private protected virtual void OnFinished(Exception? fault)
    {
    }

    /// <summary>Counts and logs an exception of a stage or a linked block. Never throws, although loggers may.</summary>
    private protected void Failed(Exception exception) => StageExceptionReporter.Report(Counters, Logger, exception);

    private void Close(Exception? fault)
    {
        // The first call decides how the block ends. The finishing thread sees its write, because the gate is closed after it.
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
            _ = _completion.Task.Exception; // observed: interested callers await Completion
        }

        OnFinished(fault);
    }
}
