using System.Threading.Tasks.Dataflow;

namespace CoAP.NET.Simulation;

/// <summary>A block as a user may link it in: no queue, passes on each item that it shall, or takes it and passes it to nobody.</summary>
/// <param name="passes">Whether an item is passed on; asked on the thread that offers it, and may throw. The block stays open then.</param>
internal sealed class PassingBlock<T>(Func<T, bool> passes) : IPropagatorBlock<T, T>
{
    private readonly TaskCompletionSource _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private ITargetBlock<T>? _target;

    /// <summary>Makes a block that passes on everything.</summary>
    /// <param name="before">What is done with an item before it is passed on; it may throw.</param>
    public PassingBlock(Action<T> before)
        : this(item =>
        {
            before(item);
            return true;
        })
    {
    }

    public Task Completion => _completion.Task;

    public DataflowMessageStatus OfferMessage(
        DataflowMessageHeader messageHeader, T messageValue, ISourceBlock<T>? source, bool consumeToAccept) =>
        passes(messageValue)
            ? _target!.OfferMessage(messageHeader, messageValue, this, consumeToAccept: false)
            : DataflowMessageStatus.Accepted;

    public IDisposable LinkTo(ITargetBlock<T> target, DataflowLinkOptions linkOptions)
    {
        _target = target;
        return new CancellationTokenSource();
    }

    public void Complete()
    {
        _completion.TrySetResult();
        _target?.Complete();
    }

    public void Fault(Exception exception) => _completion.TrySetException(exception);

    public T? ConsumeMessage(DataflowMessageHeader messageHeader, ITargetBlock<T> target, out bool messageConsumed)
    {
        messageConsumed = false;
        return default;
    }

    public bool ReserveMessage(DataflowMessageHeader messageHeader, ITargetBlock<T> target) => false;

    public void ReleaseReservation(DataflowMessageHeader messageHeader, ITargetBlock<T> target)
    {
    }
}
