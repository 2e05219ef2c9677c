namespace CoAP.NET.Cluster;

/// <summary>How much waits in the outboxes of a node, in all and of each caller. The outboxes lock.</summary>
internal sealed class OutboxBounds(CoapDeviceOptions options)
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
            return false;
        }

        Take(entry);
        return true;
    }

    /// <summary>Takes it though there be none, as it was taken before by another node.</summary>
    public void Take(OutboxEntry entry)
    {
        (int count, long bytes) = _byCaller.GetValueOrDefault(entry.Caller);
        _byCaller[entry.Caller] = (count + 1, bytes + entry.Length);
        _count++;
        _bytes += entry.Length;
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

        _count--;
        _bytes -= entry.Length;
    }
}
