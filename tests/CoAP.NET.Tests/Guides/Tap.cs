namespace CoAP.NET.Tests.Guides;

/// <summary>The block without a queue of docs/custom-blocks.md.</summary>
internal sealed class Tap<T>(Action<T> look) : CoapInlineBlock<T, T>
{
    protected override bool Process(T item)
    {
        look(item);
        return Offer(item);
    }
}
