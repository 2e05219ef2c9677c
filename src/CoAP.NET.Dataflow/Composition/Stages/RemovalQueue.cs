using System.Threading.Tasks.Dataflow;

namespace CoAP.NET.Composition.Stages;

/// <summary>
/// Takes the place of a block of the application that is removed while the endpoint runs. It keeps what arrives until the removed block is
/// empty, so that nothing overtakes the items in it, and then passes everything on at once, in its order.
/// </summary>
/// <remarks>
/// When it is full, an item of a datagram is declined, and a connection or a block in front waits. One that its target declines is counted
/// and dropped.
/// </remarks>
/// <typeparam name="T">The type of the items.</typeparam>
/// <param name="counters">Counts items that the target declines.</param>
internal sealed class RemovalQueue<T>(CoapCounters counters) : IPropagatorBlock<T, T>
{
    /// <summary>Maximum number of items that wait.</summary>
    public const int MaxCount = 1024;

    private readonly Lock _gate = new();
    private readonly Queue<T> _waiting = [];
    private readonly Queue<(ISourceBlock<T> Source, DataflowMessageHeader Header)> _postponed = [];
    private readonly TaskCompletionSource _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _full = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private volatile ITargetBlock<T>? _target;
    private bool _isOpen;
    private bool _isComplete;

    /// <summary>Ends after <see cref="Complete"/>, when nothing waits any more.</summary>
    public Task Completion => _completion.Task;

    /// <summary>Ends when an item has to wait for room.</summary>
    public Task WhenFull => _full.Task;

    /// <inheritdoc/>
    public DataflowMessageStatus OfferMessage(
        DataflowMessageHeader messageHeader, T messageValue, ISourceBlock<T>? source, bool consumeToAccept)
    {
        lock (_gate)
        {
            if (_isComplete)
            {
                return DataflowMessageStatus.DecliningPermanently;
            }

            if (!_isOpen)
            {
                return Keep(messageHeader, messageValue, source, consumeToAccept);
            }
        }

        return _target!.OfferMessage(messageHeader, messageValue, source, consumeToAccept);
    }

    /// <summary>Links the only target. A later call replaces it; the disposal of the result has no effect.</summary>
    public IDisposable LinkTo(ITargetBlock<T> target, DataflowLinkOptions linkOptions)
    {
        _target = target;
        return NoEffect.Instance;
    }

    /// <summary>Passes on what waits, in its order. From then on, items pass at once.</summary>
    public async Task OpenAsync()
    {
        while (TryTake(out T item))
        {
            if (!await _target!.SendAsync(item).ConfigureAwait(false))
            {
                counters.Add(CoapCounter.Declined);
                (item as IDisposable)?.Dispose();
            }
        }

        if (_isComplete)
        {
            _completion.TrySetResult();
        }
    }

    /// <inheritdoc/>
    public void Complete()
    {
        lock (_gate)
        {
            _isComplete = true;
            if (!_isOpen)
            {
                return;
            }
        }

        _completion.TrySetResult();
    }

    /// <inheritdoc/>
    public void Fault(Exception exception) => Complete();

    /// <inheritdoc/>
    T? ISourceBlock<T>.ConsumeMessage(DataflowMessageHeader messageHeader, ITargetBlock<T> target, out bool messageConsumed)
    {
        messageConsumed = false;
        return default;
    }

    /// <inheritdoc/>
    bool ISourceBlock<T>.ReserveMessage(DataflowMessageHeader messageHeader, ITargetBlock<T> target) => false;

    /// <inheritdoc/>
    void ISourceBlock<T>.ReleaseReservation(DataflowMessageHeader messageHeader, ITargetBlock<T> target) =>
        throw new InvalidOperationException("This block reserves no message.");

    // Under the gate.
    private DataflowMessageStatus Keep(DataflowMessageHeader header, T item, ISourceBlock<T>? source, bool consumeToAccept)
    {
        if (_waiting.Count >= MaxCount || _postponed.Count > 0)
        {
            // A stage keeps nothing. It offers an item of a connection again by a source that waits.
            if (source is null or InlineBlockBase)
            {
                return DataflowMessageStatus.Declined;
            }

            _full.TrySetResult();
            _postponed.Enqueue((source, header));
            return DataflowMessageStatus.Postponed;
        }

        if (consumeToAccept)
        {
            item = source!.ConsumeMessage(header, this, out bool isConsumed)!;
            if (!isConsumed)
            {
                return DataflowMessageStatus.NotAvailable;
            }
        }

        _waiting.Enqueue(item);
        return DataflowMessageStatus.Accepted;
    }

    private bool TryTake(out T item)
    {
        while (true)
        {
            (ISourceBlock<T> Source, DataflowMessageHeader Header) offer;
            lock (_gate)
            {
                if (_waiting.TryDequeue(out item!))
                {
                    return true;
                }

                if (!_postponed.TryDequeue(out offer))
                {
                    _isOpen = true;
                    return false;
                }
            }

            // Not under the gate: the source offers under a lock of its own.
            item = offer.Source.ConsumeMessage(offer.Header, this, out bool isConsumed)!;
            if (isConsumed)
            {
                return true;
            }
        }
    }

    private sealed class NoEffect : IDisposable
    {
        public static NoEffect Instance { get; } = new();

        public void Dispose()
        {
        }
    }
}
