using CoAP.NET.Guarding;
using CoAP.NET.Transports;

namespace CoAP.NET.Cluster;

/// <summary>
/// Datagrams for moving slots, in the order of arrival. Bounded: when it is full, the source with the most loses its oldest one.
/// Thread-safe.
/// </summary>
/// <param name="maxBytes">The maximum number of bytes.</param>
/// <param name="holdTime">The maximum time for each.</param>
/// <param name="counts">The counters.</param>
/// <param name="time">The clock.</param>
internal sealed class HeldDatagrams(int maxBytes, TimeSpan holdTime, SteeringCounts counts, TimeProvider time)
{
    private readonly Lock _gate = new();

    // By age, by slot and by source.
    private readonly LinkedList<HeldDatagram> _all = [];
    private readonly Dictionary<CoapSlot, LinkedList<HeldDatagram>> _bySlot = [];
    private readonly SourceLedger<HeldDatagram> _bySource = new();

    /// <summary>The number of held datagrams.</summary>
    public int Count
    {
        get
        {
            lock (_gate)
            {
                return _all.Count;
            }
        }
    }

    /// <summary>The slots with held datagrams.</summary>
    public IReadOnlyList<CoapSlot> Slots
    {
        get
        {
            lock (_gate)
            {
                return [.. _bySlot.Keys];
            }
        }
    }

    /// <summary>Holds a datagram.</summary>
    /// <param name="slot">Its slot.</param>
    /// <param name="via">The number of the node that relayed it, or 0.</param>
    /// <param name="version">The version of the map by which it was relayed, or 0.</param>
    /// <param name="remote">The client's address.</param>
    /// <param name="bytes">The datagram; copied.</param>
    public void Add(CoapSlot slot, int via, long version, in CoapAddress remote, ReadOnlySpan<byte> bytes)
    {
        long until = time.GetTimestamp() + (long)(holdTime.TotalSeconds * time.TimestampFrequency);
        CoapSource source = CoapSourceRule.Default.Of(remote);
        HeldDatagram added = new(source)
        {
            Slot = slot,
            Via = via,
            Version = version,
            Remote = remote,
            Bytes = bytes.ToArray(),
            Until = until,
        };
        lock (_gate)
        {
            counts.OnHeld();
            if (added.Cost > maxBytes)
            {
                counts.OnHeldDropped();
                return;
            }

            RemoveOldLocked();
            while (_bySource.Total + added.Cost > maxBytes)
            {
                // A source that would have the most with the new one makes room itself.
                SourceLedger<HeldDatagram>.Source greediest = _bySource.Greediest!;
                SourceLedger<HeldDatagram>.Source giving =
                    _bySource.Find(source) is { } own && own.Amount + added.Cost > greediest.Amount ? own : greediest;
                RemoveLocked(giving.First!.Owner);
                counts.OnHeldDropped();
            }

            _all.AddLast(added.InAll);
            if (!_bySlot.TryGetValue(slot, out LinkedList<HeldDatagram>? ofSlot))
            {
                _bySlot.Add(slot, ofSlot = []);
            }

            ofSlot.AddLast(added.InSlot);
            _bySource.Set(added.Holding, added.Cost);
        }
    }

    /// <summary>Takes the due datagrams of a slot in the order of arrival.</summary>
    /// <param name="slot">The slot.</param>
    /// <param name="isDue">Whether a datagram is due.</param>
    public IReadOnlyList<HeldDatagram> Take(CoapSlot slot, Func<HeldDatagram, bool> isDue)
    {
        lock (_gate)
        {
            RemoveOldLocked();
            if (!_bySlot.TryGetValue(slot, out LinkedList<HeldDatagram>? held))
            {
                return [];
            }

            HeldDatagram[] taken = [.. held.Where(isDue)];
            foreach (HeldDatagram one in taken)
            {
                RemoveLocked(one);
            }

            return taken;
        }
    }

    /// <summary>Drops expired datagrams.</summary>
    public void RemoveOld()
    {
        lock (_gate)
        {
            RemoveOldLocked();
        }
    }

    private void RemoveOldLocked()
    {
        long now = time.GetTimestamp();
        while (_all.First is { Value: { } oldest } && oldest.Until <= now)
        {
            RemoveLocked(oldest);
            counts.OnHeldDropped();
        }
    }

    private void RemoveLocked(HeldDatagram held)
    {
        _all.Remove(held.InAll);
        LinkedList<HeldDatagram> ofSlot = _bySlot[held.Slot];
        ofSlot.Remove(held.InSlot);
        if (ofSlot.Count == 0)
        {
            _bySlot.Remove(held.Slot);
        }

        _bySource.Set(held.Holding, 0);
    }
}
