using System.Threading.Tasks.Dataflow;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.Tests.Mesh;

/// <summary>An inline block whose stage is a delegate and that remembers what it could not pass on.</summary>
internal class RelayBlock<T>(Func<T, T>? stage = null, CoapCounters? counters = null, ILogger? logger = null)
    : InlineBlock<T, T>(counters ?? new CoapCounters(), logger ?? NullLogger.Instance)
{
    public List<T> Declined { get; } = [];

    public List<T> Lost { get; } = [];

    public List<T> FailedOn { get; } = [];

    public new CoapCounters Counters => base.Counters;

    internal override void Process(T item) => Offer(stage is null ? item : stage(item));

    private protected override void OnDeclined(T item)
    {
        lock (Declined)
        {
            Declined.Add(item);
        }
    }

    private protected override void OnLost(T item) => Lost.Add(item);

    private protected override void OnFailed(T item) => FailedOn.Add(item);
}

/// <summary>An inline block that keeps the base class's way with what is declined.</summary>
internal sealed class PlainRelay<T>() : InlineBlock<T, T>(new CoapCounters(), NullLogger.Instance)
{
    public Action<T>? Before { get; set; }

    internal override void Process(T item)
    {
        Before?.Invoke(item);
        Offer(item);
    }
}

/// <summary>The end of a path, which collects.</summary>
internal sealed class CollectTarget<T>(Action<T>? stage = null) : InlineTarget<T>(new CoapCounters(), NullLogger.Instance)
{
    public List<T> Items { get; } = [];

    public int Count
    {
        get
        {
            lock (Items)
            {
                return Items.Count;
            }
        }
    }

    public new CoapCounters Counters => base.Counters;

    internal override void Process(T item)
    {
        stage?.Invoke(item);
        lock (Items)
        {
            Items.Add(item);
        }
    }
}

/// <summary>A target that answers as a delegate says and remembers the offers.</summary>
internal sealed class ScriptedTarget<T>(Func<T, DataflowMessageStatus> answer, Task? completion = null) : ITargetBlock<T>
{
    public List<(long Id, T Item, ISourceBlock<T>? Source, bool ConsumeToAccept)> Offers { get; } = [];

    public bool IsCompleted { get; private set; }

    public Exception? Fault { get; private set; }

    public Task Completion => completion ?? new TaskCompletionSource().Task;

    public DataflowMessageStatus OfferMessage(DataflowMessageHeader messageHeader, T messageValue, ISourceBlock<T>? source,
        bool consumeToAccept)
    {
        lock (Offers)
        {
            Offers.Add((messageHeader.Id, messageValue, source, consumeToAccept));
        }

        return answer(messageValue);
    }

    public void Complete() => IsCompleted = true;

    void IDataflowBlock.Fault(Exception exception) => Fault = exception;
}

internal static class MeshRig
{
    public static readonly DataflowLinkOptions Propagate = new() { PropagateCompletion = true };

    public static readonly DataflowMessageHeader Header = new(1);

    /// <summary>Guards against hanging for ever; nothing is measured by it.</summary>
    public static readonly TimeSpan HangGuard = FromMinutes(2);

    public static Task Soon(this Task task) => task.WaitAsync(HangGuard);

    public static Task<T> Soon<T>(this Task<T> task) => task.WaitAsync(HangGuard);

    /// <summary>Runs an action on threads of their own that start together, and waits for all.</summary>
    public static void OnThreads(int count, Action<int> action)
    {
        using Barrier barrier = new(count);
        Exception? failure = null;
        Thread[] threads = [.. Enumerable.Range(0, count).Select(index => new Thread(() =>
        {
            try
            {
                barrier.SignalAndWait();
                action(index);
            }
            catch (Exception exception)
            {
                failure = exception;
            }
        })
        { IsBackground = true })];
        Array.ForEach(threads, thread => thread.Start());
        Assert.All(threads, thread => Assert.True(thread.Join(HangGuard)));
        Assert.Null(failure);
    }
}
