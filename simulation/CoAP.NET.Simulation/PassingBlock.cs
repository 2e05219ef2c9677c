using System.Threading.Tasks.Dataflow;

namespace CoAP.NET.Simulation;

/// <summary>A block as a user may link it in: no queue, passes on each item or another one in its place, or takes it.</summary>
/// <param name="pass">What is passed on, null for nothing; asked on the thread that offers, and may throw: the block stays open.</param>
internal sealed class PassingBlock<T>(Func<T, object?> pass) : IPropagatorBlock<T, T>
{
    private readonly TaskCompletionSource _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private ITargetBlock<T>? _target;

    /// <summary>Makes a block that passes on everything.</summary>
    /// <param name="before">What is done with an item before it is passed on; it may throw.</param>
    public PassingBlock(Action<T> before)
        : this(item =>
        {
            before(item);
            return item;
        })
    {
    }

    public Task Completion => _completion.Task;

    public DataflowMessageStatus OfferMessage(
        DataflowMessageHeader messageHeader, T messageValue, ISourceBlock<T>? source, bool consumeToAccept) =>
        pass(messageValue) is T item
            ? _target!.OfferMessage(messageHeader, item, this, consumeToAccept: false)
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
