using System.Threading.Tasks.Dataflow;

namespace CoAP.NET.Simulation;

/// <summary>A block as a user may link it in: no queue, passes each item on after it did something with it, which may throw. It stays open.</summary>
/// <param name="before">What is done with an item, on the thread that offers it.</param>
internal sealed class PassingBlock<T>(Action<T> before) : IPropagatorBlock<T, T>
{
    private readonly TaskCompletionSource _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private ITargetBlock<T>? _target;

    public Task Completion => _completion.Task;

    public DataflowMessageStatus OfferMessage(DataflowMessageHeader messageHeader, T messageValue, ISourceBlock<T>? source, bool consumeToAccept)
    {
        before(messageValue);
        return _target!.OfferMessage(messageHeader, messageValue, this, consumeToAccept: false);
    }

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
