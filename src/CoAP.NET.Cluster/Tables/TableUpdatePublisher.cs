using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;

namespace CoAP.NET.Cluster.Tables;

/// <summary>
/// Tells the other nodes which entries have changed in the slots of this node, once the store has the changes. Bounded: of a slot with too
/// many changes it only tells that they missed some. Thread-safe.
/// </summary>
internal sealed class TableUpdatePublisher(CoapCluster cluster, CoapRecordKind kind, CancellationToken stop)
{
    /// <summary>The maximum number of keys of a slot that wait: 256.</summary>
    public const int MostKeys = 256;

    private readonly Lock _gate = new();
    private readonly Line[] _lines = [.. CoapSlot.All.Select(static slot => new Line(slot))];
    private bool _isPublishing;

    /// <summary>Counts the changes of a slot that this node gets.</summary>
    public void Begin(CoapSlot slot, CoapFencingToken fence)
    {
        lock (_gate)
        {
            Line line = _lines[slot.Number];
            line.Keys.Clear();
            (line.Fence, line.Number, line.Published) = (fence, 0, 0);
        }
    }

    /// <summary>Tells of a change, which the store has, or which the writer of records has in its queue.</summary>
    public void Add(CoapTableKey key)
    {
        lock (_gate)
        {
            Line line = _lines[key.Slot];
            line.Number++;
            if (!cluster.Peers.IsOn)
            {
                return;
            }

            line.Keys.Add(key);
            if (line.Keys.Count > MostKeys)
            {
                // The other nodes cannot follow from a later number.
                line.Keys.Clear();
                line.Published = line.Number;
            }

            line.IsChanged = true;
            if (_isPublishing)
            {
                return;
            }

            _isPublishing = true;
        }

        _ = ReportAllAsync();
    }

    /// <summary>Returns the number of the last change of a slot under a fence; null if this node does not have it.</summary>
    public long? NumberOf(CoapSlot slot, CoapFencingToken fence)
    {
        lock (_gate)
        {
            return _lines[slot.Number] is var line && line.Fence == fence ? line.Number : null;
        }
    }

    /// <summary>Returns for each slot of this node up to which change it has told the others.</summary>
    public IReadOnlyList<ReplicatedTableChangeMessage> GetPositions()
    {
        List<ReplicatedTableChangeMessage> positions = [];
        lock (_gate)
        {
            foreach (Line line in _lines)
            {
                if (line.Fence.IsSet && line.Fence == cluster.FenceOf(line.Slot))
                {
                    positions.Add(new ReplicatedTableChangeMessage(kind, line.Slot, line.Fence, line.Published, line.Published, []));
                }
            }
        }

        return positions;
    }

    private async Task ReportAllAsync()
    {
        // The caller holds the lock of a slot. Further changes come meanwhile.
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        while (Take() is { Count: > 0 } changes)
        {
            await cluster.Writer.FlushAsync(stop).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            Post(changes);
            lock (_gate)
            {
                foreach (ReplicatedTableChangeMessage change in changes)
                {
                    Line line = _lines[change.Slot.Number];
                    line.Published = line.Fence == change.Fence ? Math.Max(line.Published, change.Last) : line.Published;
                }
            }
        }
    }

    private List<ReplicatedTableChangeMessage> Take()
    {
        List<ReplicatedTableChangeMessage> changes = [];
        lock (_gate)
        {
            foreach (Line line in _lines.Where(static line => line.IsChanged))
            {
                changes.Add(new ReplicatedTableChangeMessage(kind, line.Slot, line.Fence, line.Published, line.Number, [.. line.Keys]));
                line.Keys.Clear();
                line.IsChanged = false;
            }

            if (stop.IsCancellationRequested)
            {
                changes.Clear();
            }

            _isPublishing = changes.Count > 0;
        }

        return changes;
    }

    private void Post(List<ReplicatedTableChangeMessage> changes)
    {
        foreach (CoapNodeId node in cluster.Peers.Up)
        {
            // A node that does not get one notices at its next check.
            if (cluster.Peers.Find(node)?.TableChanges is { } posts)
            {
                changes.ForEach(change => posts.TryPost(change));
            }
        }
    }

    private sealed class Line(CoapSlot slot)
    {
        public CoapSlot Slot => slot;

        public CoapFencingToken Fence { get; set; }

        /// <summary>The number of the last change.</summary>
        public long Number { get; set; }

        /// <summary>The number of the last change that the others were told of.</summary>
        public long Published { get; set; }

        /// <summary>The keys of the changes since.</summary>
        public List<CoapTableKey> Keys { get; } = [];

        public bool IsChanged { get; set; }
    }
}
