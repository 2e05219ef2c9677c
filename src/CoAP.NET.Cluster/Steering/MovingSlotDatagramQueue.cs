using CoAP.NET.Cluster.Maps;
using CoAP.NET.Guarding;

namespace CoAP.NET.Cluster.Steering;

/// <summary>
/// Datagrams for moving slots, in the order of arrival. Bounded: when it is full, the source with the most loses its oldest one.
/// Thread-safe.
/// </summary>
/// <param name="maxBytes">The maximum number of bytes.</param>
/// <param name="holdTime">The maximum time for each.</param>
/// <param name="counts">The counters.</param>
/// <param name="time">The clock.</param>
internal sealed class MovingSlotDatagramQueue(int maxBytes, TimeSpan holdTime, RelayCounters counts, TimeProvider time)
{
    private readonly SourceQueue<CoapSlot, MovingSlotDatagram> _held = new(maxBytes);

    public int Count => _held.Count;

    public IReadOnlyList<CoapSlot> Slots => _held.Keys;

    /// <summary>Holds a datagram.</summary>
    /// <param name="slot">Its slot.</param>
    /// <param name="via">The number of the node that relayed it, or 0.</param>
    /// <param name="version">The version of the map by which it was relayed, or 0.</param>
    /// <param name="remote">The client's address.</param>
    /// <param name="bytes">The datagram; copied.</param>
    public void Add(CoapSlot slot, int via, long version, in CoapAddress remote, ReadOnlySpan<byte> bytes)
    {
        RemoveOld();
        counts.OnQueued();
        counts.OnHeldDropped(_held.Add(new MovingSlotDatagram(slot, remote, bytes.ToArray())
        {
            Via = via,
            Version = version,
            Until = time.GetTimestamp() + (long)(holdTime.TotalSeconds * time.TimestampFrequency),
        }).Count);
    }

    /// <summary>Takes the due datagrams of a slot in the order of arrival.</summary>
    public IReadOnlyList<MovingSlotDatagram> Take(CoapSlot slot, Func<MovingSlotDatagram, bool> isDue)
    {
        RemoveOld();
        return _held.Take(slot, isDue);
    }

    public void RemoveOld()
    {
        long now = time.GetTimestamp();
        counts.OnHeldDropped(_held.TakeWhile(held => held.Until <= now).Count);
    }
}
