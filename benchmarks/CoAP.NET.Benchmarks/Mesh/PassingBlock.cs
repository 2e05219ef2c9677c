namespace CoAP.NET.Benchmarks;

/// <summary>
/// A block as a user writes it to look at what passes a seam: it passes each item to the one target that is linked to it and keeps nothing.
/// </summary>
internal sealed class PassingBlock<T> : IPropagatorBlock<T, T>
{
    private readonly TaskCompletionSource _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private ITargetBlock<T> _target = DataflowBlock.NullTarget<T>();
    private long _id;

    public Task Completion => _completion.Task;

    /// <summary>How many items passed.</summary>
    public long Count { get; private set; }

    public DataflowMessageStatus OfferMessage(DataflowMessageHeader messageHeader, T messageValue, ISourceBlock<T>? source,
        bool consumeToAccept)
    {
        Count++;
        return _target.OfferMessage(new DataflowMessageHeader(++_id), messageValue, this, false);
    }

    public IDisposable LinkTo(ITargetBlock<T> target, DataflowLinkOptions linkOptions)
    {
        _target = target;
        if (linkOptions.PropagateCompletion)
        {
            Completion.ContinueWith(_ => target.Complete(), TaskScheduler.Default);
        }

        return new Link();
    }

    public T? ConsumeMessage(DataflowMessageHeader messageHeader, ITargetBlock<T> target, out bool messageConsumed)
    {
        messageConsumed = false;
        return default;
    }

    public bool ReserveMessage(DataflowMessageHeader messageHeader, ITargetBlock<T> target) => false;

    public void ReleaseReservation(DataflowMessageHeader messageHeader, ITargetBlock<T> target) =>
        throw new InvalidOperationException("Nothing can be reserved.");

    public void Complete() => _completion.TrySetResult();

    public void Fault(Exception exception) => _completion.TrySetException(exception);

    // These are linked once and for good.
    private sealed class Link : IDisposable
    {
        public void Dispose()
        {
        }
    }
}
