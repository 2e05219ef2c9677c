using System.Threading.Tasks.Dataflow;

namespace CoAP.NET.Tests.Endpoints;

/// <summary>A block as a user may write one: no queue, looks at each item on the offering thread and passes it on.</summary>
internal class PassBlock<T>(Action<T> look) : IPropagatorBlock<T, T>
{
    private readonly TaskCompletionSource _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private ITargetBlock<T>? _target;

    public Task Completion => _completion.Task;

    public virtual DataflowMessageStatus OfferMessage(DataflowMessageHeader messageHeader, T messageValue, ISourceBlock<T>? source,
        bool consumeToAccept)
    {
        look(messageValue);
        return _target!.OfferMessage(messageHeader, messageValue, this, consumeToAccept: false);
    }

    public IDisposable LinkTo(ITargetBlock<T> target, DataflowLinkOptions linkOptions)
    {
        _target = target;
        return new Nothing();
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

    private sealed class Nothing : IDisposable
    {
        public void Dispose()
        {
        }
    }
}

/// <summary>A block that declines while its gate is shut.</summary>
internal sealed class GateBlock<T>(Func<bool> isOpen) : PassBlock<T>(_ => { })
{
    public override DataflowMessageStatus OfferMessage(DataflowMessageHeader messageHeader, T messageValue, ISourceBlock<T>? source,
        bool consumeToAccept) =>
            isOpen() ? base.OfferMessage(messageHeader, messageValue, source, consumeToAccept) : DataflowMessageStatus.Declined;
}
