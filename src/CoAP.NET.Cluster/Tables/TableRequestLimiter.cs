using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Telemetry;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.Cluster.Tables;

/// <summary>Limits the waiting questions of each asking node. Thread-safe.</summary>
internal sealed class TableRequestLimiter(CoapTableOptions options, EventCounter<ClusterMetric> counts)
{
    private readonly Lock _gate = new();
    private readonly Dictionary<CoapNodeId, (int Count, long Bytes)> _waiting = [];

    /// <summary>Takes a place for a question.</summary>
    /// <param name="node">The asking node.</param>
    /// <param name="bytes">Its bytes.</param>
    /// <exception cref="CoapTableUnavailableException">All places are taken.</exception>
    public void Enter(CoapNodeId node, int bytes)
    {
        lock (_gate)
        {
            (int count, long size) = _waiting.GetValueOrDefault(node);
            if (count >= options.MaxWaiting || size + bytes > options.MaxWaitingBytes)
            {
                throw new CoapTableUnavailableException(CoapTableFault.Busy, options.Timeout,
                    $"{count} questions with {size} bytes already wait for owners of slots or for the store (CoapTableOptions.MaxWaiting, "
                    + "MaxWaitingBytes). This one was refused. Try again later.");
            }

            _waiting[node] = (count + 1, size + bytes);
        }

        counts.Add(ClusterMetric.TableWaiting);
    }

    public void Leave(CoapNodeId node, int bytes)
    {
        lock (_gate)
        {
            (int count, long size) = _waiting[node];
            if (count == 1)
            {
                _waiting.Remove(node);
            }
            else
            {
                _waiting[node] = (count - 1, size - bytes);
            }
        }

        counts.Add(ClusterMetric.TableWaiting, -1);
    }
}
