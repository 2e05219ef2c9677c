namespace CoAP.NET.Cluster;

/// <summary>How much waits in the outboxes of a node, in all and of each caller, and what became of it. The outboxes lock.</summary>
/// <param name="options">How much may wait.</param>
/// <param name="counts">The counters of the node.</param>
internal sealed class OutboxBounds(CoapDeviceOptions options, ClusterCounts counts)
{
    private readonly Dictionary<string, (int Count, long Bytes)> _byCaller = new(StringComparer.Ordinal);
    private int _count;
    private long _bytes;

    /// <summary>Takes room for a request.</summary>
    /// <returns>False when there is none.</returns>
    public bool TryTake(OutboxEntry entry)
    {
        (int count, long bytes) = _byCaller.GetValueOrDefault(entry.Caller);
        long mostBytes = (long)options.MaxQueuedBytes * options.MaxQueuedPerCaller / options.MaxQueued;
        if (_count >= options.MaxQueued || _bytes + entry.Length > options.MaxQueuedBytes
            || (entry.Caller.Length > 0 && (count >= options.MaxQueuedPerCaller || bytes + entry.Length > mostBytes)))
        {
            Refuse();
            return false;
        }

        Take(entry);
        counts.Add(ClusterMetric.OutboxQueued);
        return true;
    }

    /// <summary>Takes it though there be none, as it was taken before by another node.</summary>
    public void Take(OutboxEntry entry)
    {
        (int count, long bytes) = _byCaller.GetValueOrDefault(entry.Caller);
        _byCaller[entry.Caller] = (count + 1, bytes + entry.Length);
        counts.Add(ClusterMetric.OutboxWaiting);
        _count++;
        _bytes += entry.Length;
    }

    /// <summary>One is not taken, as there is no room.</summary>
    public void Refuse() => counts.Add(ClusterMetric.OutboxRefused);

    /// <summary>Gives it back, as it is known what came of it.</summary>
    /// <param name="entry">The request.</param>
    /// <param name="outcome">Whether that is in the store; otherwise another node has it.</param>
    public void Finish(OutboxEntry entry, CoapWriteOutcome outcome)
    {
        if (outcome == CoapWriteOutcome.Written)
        {
            counts.Add(entry switch
            {
                { State: OutboxState.Answered } => ClusterMetric.OutboxSent,
                { Fault: CoapDeviceQueueFault.Expired } => ClusterMetric.OutboxExpired,
                { Fault: CoapDeviceQueueFault.Cancelled } => ClusterMetric.OutboxCancelled,
                _ => ClusterMetric.OutboxFailed,
            });
        }

        GiveBack(entry);
    }

    /// <summary>Gives it back.</summary>
    public void GiveBack(OutboxEntry entry)
    {
        (int count, long bytes) = _byCaller.GetValueOrDefault(entry.Caller);
        if (count > 1)
        {
            _byCaller[entry.Caller] = (count - 1, bytes - entry.Length);
        }
        else
        {
            _byCaller.Remove(entry.Caller);
        }

        counts.Add(ClusterMetric.OutboxWaiting, -1);
        _count--;
        _bytes -= entry.Length;
    }
}
