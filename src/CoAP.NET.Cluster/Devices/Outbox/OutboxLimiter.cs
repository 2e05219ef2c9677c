using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Telemetry;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.Cluster.Devices.Outbox;

/// <summary>
/// Limits the waiting requests in the outboxes of a node, in total and per caller, and counts their outcomes. The caller locks.
/// </summary>
internal sealed class OutboxLimiter(CoapDeviceOptions options, EventCounter<ClusterMetric> counts)
{
    private readonly Dictionary<string, (int Count, long Bytes)> _byCaller = new(StringComparer.Ordinal);
    private int _count;
    private long _bytes;

    /// <summary>Reserves room for a request.</summary>
    /// <returns>False if there is none.</returns>
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

    /// <summary>Reserves room above the limit because another node had accepted the request.</summary>
    public void Take(OutboxEntry entry)
    {
        (int count, long bytes) = _byCaller.GetValueOrDefault(entry.Caller);
        _byCaller[entry.Caller] = (count + 1, bytes + entry.Length);
        counts.Add(ClusterMetric.OutboxWaiting);
        _count++;
        _bytes += entry.Length;
    }

    /// <summary>Counts a request refused for lack of room.</summary>
    public void Refuse() => counts.Add(ClusterMetric.OutboxRefused);

    /// <summary>Returns the room of a request with a known outcome.</summary>
    /// <param name="entry">The request.</param>
    /// <param name="outcome">Whether the outcome is stored; otherwise another node owns it.</param>
    public void Finish(OutboxEntry entry, CoapWriteOutcome outcome)
    {
        if (outcome == CoapWriteOutcome.Written)
        {
            counts.Add(entry switch
            {
                { State: OutboxRequestState.Answered } => ClusterMetric.OutboxSent,
                { Fault: CoapDeviceFault.Expired } => ClusterMetric.OutboxExpired,
                { Fault: CoapDeviceFault.Cancelled } => ClusterMetric.OutboxCancelled,
                _ => ClusterMetric.OutboxFailed,
            });
        }

        GiveBack(entry);
    }

    /// <summary>Returns the room of a request.</summary>
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
