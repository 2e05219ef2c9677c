using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.Benchmarks;

/// <summary>A stage that passes on what it gets plus one.</summary>
internal sealed class AddOneBlock(CoapCounters? counters = null)
    : InlineBlock<int, int>(counters ?? new CoapCounters(), NullLogger.Instance)
{
    internal override void Process(int item) => Offer(item + 1);
}

/// <summary>The end of a path: adds up what it gets.</summary>
internal sealed class SumTarget() : InlineTarget<int>(new CoapCounters(), NullLogger.Instance)
{
    public long Sum { get; set; }

    internal override void Process(int item) => Sum += item;
}

/// <summary>A stage that passes on one and the same item for each that it gets: what is left is the handing over.</summary>
internal sealed class HandOverBlock<TInput, TOutput>(TOutput next) : InlineBlock<TInput, TOutput>(new CoapCounters(), NullLogger.Instance)
{
    internal override void Process(TInput item) => Offer(next);
}

/// <summary>The end of a path that counts what it gets.</summary>
internal sealed class CountTarget<T>() : InlineTarget<T>(new CoapCounters(), NullLogger.Instance)
{
    public long Count { get; private set; }

    internal override void Process(T item) => Count++;
}

/// <summary>A target that has no room, and never has.</summary>
internal sealed class PostponingTarget<T> : ITargetBlock<T>
{
    private readonly TaskCompletionSource _completion = new();

    public Task Completion => _completion.Task;

    public long Offers { get; private set; }

    public DataflowMessageStatus OfferMessage(DataflowMessageHeader messageHeader, T messageValue, ISourceBlock<T>? source,
        bool consumeToAccept)
    {
        Offers++;
        return DataflowMessageStatus.Postponed;
    }

    public void Complete() => _completion.TrySetResult();

    public void Fault(Exception exception) => _completion.TrySetException(exception);
}
