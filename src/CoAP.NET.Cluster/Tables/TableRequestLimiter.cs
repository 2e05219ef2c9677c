using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Telemetry;
using CoAP.NET.Diagnostics;
using CoAP.NET.Guarding;

namespace CoAP.NET.Cluster.Tables;

/// <summary>Limits the waiting questions of each asking node. Thread-safe.</summary>
internal sealed class TableRequestLimiter(CoapReplicatedTableOptions options, EventCounter<ClusterMetric> counts)
{
    private readonly Lock _gate = new();
    private readonly SourceLedger<CoapNodeId> _questions = new(maxOfSource: options.MaxWaiting);
    private readonly SourceLedger<CoapNodeId> _bytes = new(maxOfSource: options.MaxWaitingBytes);

    /// <summary>Takes a place for a question.</summary>
    /// <param name="node">The asking node.</param>
    /// <param name="bytes">Its bytes.</param>
    /// <exception cref="CoapTableUnavailableException">All places are taken.</exception>
    public void Enter(CoapNodeId node, int bytes)
    {
        lock (_gate)
        {
            if (!_questions.HasRoom(node) || !_bytes.HasRoom(node, bytes))
            {
                throw new CoapTableUnavailableException(CoapTableUnavailableReason.Busy, options.Timeout,
                    $"{_questions.AmountOf(node)} questions with {_bytes.AmountOf(node)} bytes already wait for owners of slots or for the "
                    + "store (CoapReplicatedTableOptions.MaxWaiting, MaxWaitingBytes). This one was refused. Try again later.");
            }

            _questions.Take(node);
            _bytes.Take(node, bytes);
        }

        counts.Add(ClusterMetric.TableWaiting);
    }

    public void Leave(CoapNodeId node, int bytes)
    {
        lock (_gate)
        {
            _questions.Return(node);
            _bytes.Return(node, bytes);
        }

        counts.Add(ClusterMetric.TableWaiting, -1);
    }
}
