namespace CoAP.NET.Explorer.Exploring;

/// <summary>
/// Observes or changes an item and passes it on immediately on the same thread. The last message of a command therefore leaves before the
/// command ends, and timestamps are those of the wire.
/// </summary>
internal sealed class StageObserver<T>(Func<T, T> pass) : CoapInlineBlock<T, T>
{
    /// <inheritdoc/>
    protected override bool Process(T item)
    {
        try
        {
            item = pass(item);
        }
        catch (IOException)
        {
            // The reader of the error stream has closed it; the messages continue.
        }

        return Offer(item);
    }
}
