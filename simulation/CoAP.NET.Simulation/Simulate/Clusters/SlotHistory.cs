using CoAP.NET.Cluster.Maps;

namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>Which processes have had which slots since when, as the store has it.</summary>
internal sealed class SlotHistory
{
    private readonly List<(TimeSpan Since, CoapNodeId Node)>[] _owners = [.. CoapSlot.All.Select(_ =>
        new List<(TimeSpan Since, CoapNodeId Node)>())];

    private readonly Dictionary<CoapNodeId, SimulatedClusterNode> _processes = [];

    /// <summary>A process starts.</summary>
    /// <param name="node">The process.</param>
    public void Add(SimulatedClusterNode node) => _processes.Add(node.Cluster.Self.Id, node);

    /// <summary>The map was changed.</summary>
    /// <param name="map">The map.</param>
    /// <param name="now">When.</param>
    public void OnChanged(CoapClusterSlotMap map, TimeSpan now)
    {
        foreach (CoapSlot slot in CoapSlot.All)
        {
            List<(TimeSpan Since, CoapNodeId Node)> owners = _owners[slot.Number];
            CoapNodeId owner = map[slot].Node;
            if (owner.IsSet && (owners.Count == 0 || owners[^1].Node != owner))
            {
                if (owners.Count > 0 && _processes[owners[^1].Node] is { IsInDoubt: true } before)
                {
                    // It does not reach the store, so it was not the one that gave the slot away.
                    before.LastFailure = now;
                }

                owners.Add((now, owner));
            }
        }
    }

    /// <summary>
    /// Whether one of those that have had a session since a time could have lost what it knew of it: what was answered moves with a session
    /// that is handed over, and is gone with the first process that has it and dies (decision 0022).
    /// </summary>
    /// <param name="device">Whose session it is. Nobody sees the slot of one without a Connection ID, so any slot counts.</param>
    /// <param name="since">The time.</param>
    public bool WasLost(SimulatedDevice device, TimeSpan since) =>
        device is { HasCid: true, ServerCid: { } cid }
            ? WasLost(_owners[Convert.FromHexString(cid)[0]], since)
            : Array.Exists(_owners, owners => WasLost(owners, since));

    private bool WasLost(List<(TimeSpan Since, CoapNodeId Node)> owners, TimeSpan since)
    {
        for (int i = 0; i < owners.Count; i++)
        {
            TimeSpan until = i + 1 < owners.Count ? owners[i + 1].Since : TimeSpan.MaxValue;
            TimeSpan from = owners[i].Since > since ? owners[i].Since : since;
            if (until >= since && _processes[owners[i].Node].LastFailure >= from)
            {
                return true;
            }
        }

        return false;
    }
}
