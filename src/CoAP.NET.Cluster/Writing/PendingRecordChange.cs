using CoAP.NET.Cluster.Records;

namespace CoAP.NET.Cluster.Writing;

/// <summary>A waiting change, with its waiting callers.</summary>
internal sealed class PendingRecordChange(CoapRecordWrite change, CoapRecordPriority weight, long number)
{
    // The approximate size of a dictionary entry, a list node and this object in addition to the bytes.
    private const int Overhead = 200;

    public CoapRecordWrite Change { get; set; } = change;

    public CoapRecordPriority Weight { get; set; } = weight;

    /// <summary>Its position in the order of changes; a newer change of the record keeps the position of the first one.</summary>
    public long Number { get; set; } = number;

    public List<TaskCompletionSource<CoapWriteOutcome>> Waiters { get; } = [];

    public LinkedListNode<PendingRecordChange>? Node { get; set; }

    public int Bytes => Overhead + Change.Key.Bytes.Length + Change.State.Length;

    public void Report(CoapWriteOutcome outcome)
    {
        foreach (TaskCompletionSource<CoapWriteOutcome> waiter in Waiters)
        {
            waiter.TrySetResult(outcome);
        }
    }

    public void Report(Exception exception)
    {
        foreach (TaskCompletionSource<CoapWriteOutcome> waiter in Waiters)
        {
            waiter.TrySetException(exception);
        }
    }
}
