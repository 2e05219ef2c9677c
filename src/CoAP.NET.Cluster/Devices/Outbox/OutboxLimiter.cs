using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Telemetry;
using CoAP.NET.Diagnostics;
using CoAP.NET.Guarding;

namespace CoAP.NET.Cluster.Devices.Outbox;

/// <summary>
/// Limits the waiting requests in the outboxes of a node, in total and per caller, and counts their outcomes. The caller locks.
/// </summary>
internal sealed class OutboxLimiter(CoapDeviceOptions options, EventCounter<ClusterMetric> counts)
{
    private readonly SourceLedger<string> _requests = new(options.MaxQueued, options.MaxQueuedPerCaller);
    private readonly SourceLedger<string> _bytes = new(
        options.MaxQueuedBytes, (long)options.MaxQueuedBytes * options.MaxQueuedPerCaller / options.MaxQueued);

    /// <summary>Reserves room for a request.</summary>
    /// <returns>False if there is none.</returns>
    public bool TryTake(OutboxEntry entry)
    {
        // The process itself has no share, and may have everything.
        bool hasRoom = entry.Caller.Length > 0
            ? _requests.HasRoom(entry.Caller) && _bytes.HasRoom(entry.Caller, entry.Length)
            : _requests.Total < options.MaxQueued && _bytes.Total + entry.Length <= options.MaxQueuedBytes;
        if (!hasRoom)
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
        _requests.Take(entry.Caller);
        _bytes.Take(entry.Caller, entry.Length);
        counts.Add(ClusterMetric.OutboxWaiting);
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
        _requests.Return(entry.Caller);
        _bytes.Return(entry.Caller, entry.Length);
        counts.Add(ClusterMetric.OutboxWaiting, -1);
    }
}
