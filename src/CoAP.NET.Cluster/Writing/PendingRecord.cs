namespace CoAP.NET.Cluster;

/// <summary>A change that waits, with who waits for it.</summary>
internal sealed class PendingRecord(CoapRecordChange change, CoapRecordWeight weight, long number)
{
    // What a dictionary entry, a list node and this object take besides the bytes, roughly.
    private const int Overhead = 200;

    public CoapRecordChange Change { get; set; } = change;

    public CoapRecordWeight Weight { get; set; } = weight;

    /// <summary>Its place in the order in which changes came; that of the first one when newer ones replaced it.</summary>
    public long Number { get; set; } = number;

    public List<TaskCompletionSource<CoapWriteOutcome>> Waiters { get; } = [];

    public LinkedListNode<PendingRecord>? Place { get; set; }

    public int Bytes => Overhead + Change.Key.Bytes.Length + Change.State.Length;

    public void Tell(CoapWriteOutcome outcome)
    {
        foreach (TaskCompletionSource<CoapWriteOutcome> waiter in Waiters)
        {
            waiter.TrySetResult(outcome);
        }
    }

    public void Tell(Exception exception)
    {
        foreach (TaskCompletionSource<CoapWriteOutcome> waiter in Waiters)
        {
            waiter.TrySetException(exception);
        }
    }
}
