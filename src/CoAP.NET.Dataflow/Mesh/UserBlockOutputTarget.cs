using System.Threading.Tasks.Dataflow;

namespace CoAP.NET.Mesh;

/// <summary>
/// The target of a block of the application before the next stage: passes items, and not the end of the block. The stage stays open when
/// the block ends before it, whatever the block does with its target.
/// </summary>
/// <typeparam name="T">The type of the items.</typeparam>
/// <param name="stage">The beginning of the stage.</param>
/// <param name="counters">Counts items that come too late.</param>
internal sealed class UserBlockOutputTarget<T>(InlineTarget<T> stage, CoapCounters counters) : ITargetBlock<T>
{
    private volatile bool _isAbandoned;

    /// <inheritdoc/>
    public Task Completion => stage.Completion;

    /// <summary>
    /// From now on, takes, counts and drops all items: no caller waits for them any more, and the block becomes empty.
    /// </summary>
    public void Abandon() => _isAbandoned = true;

    /// <inheritdoc/>
    public DataflowMessageStatus OfferMessage(
        DataflowMessageHeader messageHeader, T messageValue, ISourceBlock<T>? source, bool consumeToAccept)
    {
        if (consumeToAccept && source is not null)
        {
            messageValue = source.ConsumeMessage(messageHeader, this, out bool isConsumed)!;
            if (!isConsumed)
            {
                return DataflowMessageStatus.NotAvailable;
            }
        }

        if (!_isAbandoned)
        {
            DataflowMessageStatus status = stage.OfferMessage(messageHeader, messageValue, source, consumeToAccept: false);
            if (status == DataflowMessageStatus.Accepted || !consumeToAccept)
            {
                return status;
            }
        }

        counters.Add(CoapCounter.Declined);
        (messageValue as IDisposable)?.Dispose();
        return DataflowMessageStatus.Accepted;
    }

    /// <inheritdoc/>
    public void Complete()
    {
    }

    /// <inheritdoc/>
    public void Fault(Exception exception)
    {
    }
}
