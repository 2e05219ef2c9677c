using System.Threading.Tasks.Dataflow;

namespace CoAP.NET.Tests.Guides;

/// <summary>The block without a queue of docs/custom-blocks.md.</summary>
internal sealed class Tap<T>(Action<T> look) : IPropagatorBlock<T, T>
{
    private readonly TaskCompletionSource _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private ITargetBlock<T>? _target;
    private long _id;

    public Task Completion => _completion.Task;

    public DataflowMessageStatus OfferMessage(DataflowMessageHeader messageHeader, T messageValue, ISourceBlock<T>? source,
        bool consumeToAccept)
    {
        if (consumeToAccept)
        {
            messageValue = source!.ConsumeMessage(messageHeader, this, out bool isOurs)!;
            if (!isOurs)
            {
                return DataflowMessageStatus.NotAvailable;
            }
        }

        look(messageValue);
        return _target!.OfferMessage(new DataflowMessageHeader(Interlocked.Increment(ref _id)), messageValue, this, consumeToAccept: false);
    }

    public IDisposable LinkTo(ITargetBlock<T> target, DataflowLinkOptions linkOptions)
    {
        _target = target;
        return new Link();
    }

    public void Complete()
    {
        _target?.Complete();
        _completion.TrySetResult();
    }

    public void Fault(Exception exception)
    {
        _target?.Fault(exception);
        _completion.TrySetException(exception);
    }

    public T? ConsumeMessage(DataflowMessageHeader messageHeader, ITargetBlock<T> target, out bool messageConsumed)
    {
        messageConsumed = false;
        return default;
    }

    public bool ReserveMessage(DataflowMessageHeader messageHeader, ITargetBlock<T> target) => false;

    public void ReleaseReservation(DataflowMessageHeader messageHeader, ITargetBlock<T> target)
    {
    }

    // It lasts.
    private sealed class Link : IDisposable
    {
        public void Dispose()
        {
        }
    }
}
