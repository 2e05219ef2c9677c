namespace CoAP.NET.Benchmarks;

/// <summary>A block as a user writes it to look at what passes a link.</summary>
internal sealed class PassingBlock<T> : CoapInlineBlock<T, T>
{
    /// <summary>How many items passed.</summary>
    public long Count { get; private set; }

    protected override bool Process(T item)
    {
        Count++;
        return Offer(item);
    }
}
