using System.Threading.Tasks.Dataflow;

namespace CoAP.NET.Explorer.Exploring;

/// <summary>
/// A block without a queue: it observes or changes an item and offers it on immediately on the same thread. The last message of a command
/// therefore leaves before the command ends, and timestamps are those of the wire. Linked to one target.
/// </summary>
/// <typeparam name="T">The type of the items.</typeparam>
/// <param name="pass">Observes an item and returns it, or a replacement.</param>
internal sealed class InlineTap<T>(Func<T, T> pass) : IPropagatorBlock<T, T>
{
    private readonly TaskCompletionSource _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private ITargetBlock<T>? _target;
    private bool _propagates;
    private long _lastId;

    /// <inheritdoc/>
    public Task Completion => _completion.Task;

    /// <inheritdoc/>
    public DataflowMessageStatus OfferMessage(DataflowMessageHeader messageHeader, T messageValue, ISourceBlock<T>? source,
        bool consumeToAccept)
    {
        if (_completion.Task.IsCompleted || _target is null)
        {
            return DataflowMessageStatus.DecliningPermanently;
        }

        if (consumeToAccept && source is not null)
        {
            messageValue = source.ConsumeMessage(messageHeader, this, out bool isConsumed)!;
            if (!isConsumed)
            {
                return DataflowMessageStatus.NotAvailable;
            }
        }

        return _target.OfferMessage(new DataflowMessageHeader(Interlocked.Increment(ref _lastId)), Pass(messageValue), this,
            consumeToAccept: false);
    }

    /// <inheritdoc/>
    public void Complete()
    {
        if (_completion.TrySetResult() && _propagates)
        {
            _target?.Complete();
        }
    }

    /// <inheritdoc/>
    public void Fault(Exception exception)
    {
        if (_completion.TrySetException(exception) && _propagates)
        {
            _target?.Fault(exception);
        }
    }

    /// <inheritdoc/>
    public IDisposable LinkTo(ITargetBlock<T> target, DataflowLinkOptions linkOptions)
    {
        _target = target;
        _propagates = linkOptions.PropagateCompletion;
        return new Link(this);
    }

    T? ISourceBlock<T>.ConsumeMessage(DataflowMessageHeader messageHeader, ITargetBlock<T> target, out bool messageConsumed)
    {
        messageConsumed = false;
        return default;
    }

    bool ISourceBlock<T>.ReserveMessage(DataflowMessageHeader messageHeader, ITargetBlock<T> target) => false;

    void ISourceBlock<T>.ReleaseReservation(DataflowMessageHeader messageHeader, ITargetBlock<T> target) =>
        throw new InvalidOperationException("This block keeps no message, so none can be reserved or released.");

    private T Pass(T item)
    {
        try
        {
            return pass(item);
        }
        catch (IOException)
        {
            // The reader of the error stream has closed it; the messages continue.
            return item;
        }
    }

    private sealed class Link(InlineTap<T> tap) : IDisposable
    {
        public void Dispose() => tap._target = null;
    }
}
