namespace CoAP.NET.Cluster;

/// <summary>
/// Who is to have which slot, as it follows from a map alone: every node that reads the same map makes the same plan, so nodes need not
/// talk to each other about it. Slots whose owner is gone or leaves go to those that have least; then those that have more than their fair
/// share (256 divided by the number of nodes, rounded up or down) give the rest of it to those that have less. No slot moves without need.
/// </summary>
internal sealed class SlotPlan
{
    private readonly CoapClusterMap _map;
    private readonly CoapNodeId[] _target = new CoapNodeId[CoapSlot.Count];

    private SlotPlan(CoapClusterMap map)
    {
        _map = map;
        IsShared = map.Nodes.Any(static node => node.Address.Length > 0);
        Members = [.. map.Nodes.Where(node => !node.IsLeaving && (!IsShared || node.Address.Length > 0))
            .Select(static node => node.Id)];
    }

    /// <summary>The nodes that get slots, by id: those with a link that do not leave. Where nobody has a link, all that do not leave.
    /// </summary>
    public IReadOnlyList<CoapNodeId> Members { get; }

    /// <summary>Whether nodes share the slots, as there is one with a link. Otherwise one node has all, and the others stand by.</summary>
    public bool IsShared { get; }

    /// <summary>Whether it is the plan of a map, as that has the same content as the one that it was made of.</summary>
    /// <param name="map">The map.</param>
    public bool IsOf(CoapClusterMap map) => _map == map || _map.HasSameContent(map);

    /// <summary>Makes the plan.</summary>
    /// <param name="map">The map.</param>
    public static SlotPlan Of(CoapClusterMap map)
    {
        SlotPlan plan = new(map);
        plan.Fill();
        if (plan.IsShared)
        {
            plan.Balance();
        }

        return plan;
    }

    /// <summary>Who is to have a slot; nobody when no node takes part.</summary>
    /// <param name="slot">The slot.</param>
    public CoapNodeId this[CoapSlot slot] => _target[slot.Number];

    /// <summary>The slots that a node is to take now, as nobody has them who is there.</summary>
    /// <param name="node">The node.</param>
    public IReadOnlyList<CoapSlot> ToTake(CoapNodeId node)
    {
        if (IsShared)
        {
            return [.. _map.Orphans().Where(slot => this[slot] == node)];
        }

        // Who is first has all.
        return Members.Contains(node) ? _map.Orphans() : [];
    }

    /// <summary>The slots that a node is to hand over, and to whom.</summary>
    /// <param name="node">The node.</param>
    public IReadOnlyList<SlotMove> ToGive(CoapNodeId node) => !IsShared
        ? []
        : [.. CoapSlot.All.Where(slot => _map[slot].Node == node && this[slot] != node && this[slot].IsSet)
            .Select(slot => new SlotMove(slot, this[slot]))];

    // What has no owner who stays goes to whoever has least; of several the first by id.
    private void Fill()
    {
        HashSet<CoapNodeId> staying = [.. _map.Nodes.Where(static node => !node.IsLeaving).Select(static node => node.Id)];
        Dictionary<CoapNodeId, int> counts = CountsOf(CoapSlot.All.Select(slot => _map[slot].Node));
        foreach (CoapSlot slot in CoapSlot.All)
        {
            CoapNodeId owner = _map[slot].Node;
            if (staying.Contains(owner) || (counts.Count == 0 && _map.IsThere(owner)))
            {
                _target[slot.Number] = owner;
            }
            else if (counts.Count > 0)
            {
                CoapNodeId poorest = Poorest(counts);
                _target[slot.Number] = poorest;
                counts[poorest]++;
            }
        }
    }

    private void Balance()
    {
        if (Members.Count == 0)
        {
            return;
        }

        Dictionary<CoapNodeId, int> counts = CountsOf(_target);
        while (true)
        {
            CoapNodeId poorest = Poorest(counts);
            CoapNodeId richest = Members.MaxBy(node => counts[node]);
            if (counts[richest] - counts[poorest] < 2)
            {
                return;
            }

            // Whoever is rich now got nothing above, so the slot is its own already.
            _target[Array.LastIndexOf(_target, richest)] = poorest;
            counts[richest]--;
            counts[poorest]++;
        }
    }

    private Dictionary<CoapNodeId, int> CountsOf(IEnumerable<CoapNodeId> owners)
    {
        Dictionary<CoapNodeId, int> counts = Members.ToDictionary(static node => node, static _ => 0);
        foreach (CoapNodeId owner in owners)
        {
            if (counts.TryGetValue(owner, out int count))
            {
                counts[owner] = count + 1;
            }
        }

        return counts;
    }

    private CoapNodeId Poorest(Dictionary<CoapNodeId, int> counts) => Members.MinBy(node => counts[node]);
}
