namespace CoAP.NET.Tests.Endpoints;

/// <summary>A block as a user may write one: no queue, looks at each item on the offering thread and passes it on.</summary>
internal sealed class PassBlock<T>(Action<T> look) : CoapInlineBlock<T, T>
{
    protected override bool Process(T item)
    {
        look(item);
        return Offer(item);
    }
}

/// <summary>A block that declines while its gate is shut.</summary>
internal sealed class GateBlock<T>(Func<bool> isOpen) : CoapInlineBlock<T, T>
{
    protected override bool Process(T item) => isOpen() && Offer(item);
}
