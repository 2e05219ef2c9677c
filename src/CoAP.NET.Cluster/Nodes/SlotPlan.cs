using CoAP.NET.Cluster.Maps;

namespace CoAP.NET.Cluster.Nodes;

/// <summary>
/// The planned owner of each slot, computed from a map alone: every node computes the same plan from the same map, without communication.
/// Slots whose owner is dead or leaving fill the nodes up to their fair share (256 divided by the number of nodes, rounded up or down), one
/// node after the other by id, so that the plan for the others stays the same while nodes take theirs. Then nodes above their share give
/// the excess to nodes below it. No slot moves without need.
/// </summary>
internal sealed class SlotPlan
{
    private readonly CoapClusterSlotMap _map;
    private readonly CoapNodeId[] _target = new CoapNodeId[CoapSlot.Count];

    private SlotPlan(CoapClusterSlotMap map)
    {
        _map = map;
        IsShared = map.Nodes.Any(static node => node.Address.Length > 0);
        Members = [.. map.Nodes.Where(node => !node.IsLeaving && (!IsShared || node.Address.Length > 0))
            .Select(static node => node.Id)];
    }

    /// <summary>
    /// The nodes that get slots, by id: those with an address that are not leaving. If no node has one, all that are not leaving.
    /// </summary>
    public IReadOnlyList<CoapNodeId> Members { get; }

    /// <summary>
    /// Whether nodes share the slots because at least one has an address for the others. Otherwise one node owns all, and the others stand
    /// by.
    /// </summary>
    public bool IsShared { get; }

    /// <summary>Whether this is the plan of a map, which then has the same content as the one of the plan.</summary>
    public bool IsOf(CoapClusterSlotMap map) => _map == map || _map.HasSameContent(map);

    public static SlotPlan Of(CoapClusterSlotMap map)
    {
        SlotPlan plan = new(map);
        plan.Fill();
        if (plan.IsShared)
        {
            plan.Balance();
        }

        return plan;
    }

    /// <summary>The planned owner of a slot; unset without members.</summary>
    public CoapNodeId this[CoapSlot slot] => _target[slot.Number];

    /// <summary>Returns the slots without a live owner that a node takes which owns all or none.</summary>
    public IReadOnlyList<CoapSlot> ToTake(CoapNodeId node) => Members.Contains(node) ? _map.Orphans() : [];

    /// <summary>Returns the slots that a node must hand over, with their receivers.</summary>
    public IReadOnlyList<SlotMove> ToGive(CoapNodeId node) => !IsShared
        ? []
        : [.. CoapSlot.All.Where(slot => _map[slot].Node == node && this[slot] != node && this[slot].IsSet)
            .Select(slot => new SlotMove(slot, this[slot]))];

    private void Fill()
    {
        HashSet<CoapNodeId> staying = [.. _map.Nodes.Where(static node => !node.IsLeaving).Select(static node => node.Id)];
        Dictionary<CoapNodeId, int> counts = CountsOf(CoapSlot.All.Select(slot => _map[slot].Node));
        int share = CoapSlot.Count / Math.Max(1, Members.Count);

        // Those that have the greater share already keep it.
        HashSet<CoapNodeId> greater = [.. Members.OrderByDescending(node => counts[node] > share)
            .Take(CoapSlot.Count % Math.Max(1, Members.Count))];
        foreach (CoapSlot slot in CoapSlot.All)
        {
            CoapNodeId owner = _map[slot].Node;
            if (staying.Contains(owner) || (counts.Count == 0 && _map.IsThere(owner)))
            {
                _target[slot.Number] = owner;
            }
            else if (counts.Count > 0)
            {
                CoapNodeId next = Members.First(node => counts[node] < share + (greater.Contains(node) ? 1 : 0));
                _target[slot.Number] = next;
                counts[next]++;
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

            // The richest node got nothing above, so the slot is already its own.
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
