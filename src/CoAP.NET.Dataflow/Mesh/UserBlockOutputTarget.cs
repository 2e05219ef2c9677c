using System.Threading.Tasks.Dataflow;

namespace CoAP.NET.Mesh;

/// <summary>
/// Connects a block of the application to the next stage. It forwards items but not completion: the stage stays open when the block
/// completes.
/// </summary>
/// <typeparam name="T">The type of the items.</typeparam>
/// <param name="stage">The input of the stage.</param>
/// <param name="counters">Counts items that arrive after <see cref="Abandon"/>.</param>
internal sealed class UserBlockOutputTarget<T>(InlineTarget<T> stage, CoapCounters counters) : ITargetBlock<T>
{
    private volatile bool _isAbandoned;

    /// <inheritdoc/>
    public Task Completion => stage.Completion;

    /// <summary>Accepts, counts and drops all items from now on, so that a removed block becomes empty.</summary>
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
