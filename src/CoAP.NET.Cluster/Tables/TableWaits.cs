namespace CoAP.NET.Cluster;

/// <summary>The questions that wait, with a bound for each node that asks. Thread-safe.</summary>
internal sealed class TableWaits(CoapTableOptions options, ClusterCounts counts)
{
    private readonly Lock _gate = new();
    private readonly Dictionary<CoapNodeId, (int Count, long Bytes)> _waiting = [];

    /// <summary>A question begins to wait.</summary>
    /// <param name="node">The node at which it was asked.</param>
    /// <param name="bytes">Its bytes.</param>
    /// <exception cref="CoapTableUnavailableException">As many wait as may.</exception>
    public void Enter(CoapNodeId node, int bytes)
    {
        lock (_gate)
        {
            (int count, long size) = _waiting.GetValueOrDefault(node);
            if (count >= options.MaxWaiting || size + bytes > options.MaxWaitingBytes)
            {
                throw new CoapTableUnavailableException(CoapTableFault.Busy, options.Timeout,
                    $"{count} questions with {size} bytes wait for owners of slots or for the store already (CoapTableOptions.MaxWaiting, "
                    + "MaxWaitingBytes). This one was not asked. Ask again later.");
            }

            _waiting[node] = (count + 1, size + bytes);
        }

        counts.Add(ClusterMetric.TableWaiting);
    }

    /// <summary>It waits no more.</summary>
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
