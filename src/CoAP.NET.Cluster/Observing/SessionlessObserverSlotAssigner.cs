using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Observing;

namespace CoAP.NET.Cluster.Observing;

/// <summary>
/// Assigns slots to the observers of a server without a session: each gets a slot of this node. When the slot moves to another node, the
/// observer stays because its datagrams arrive here, and its record moves to another slot. Thread-safe.
/// </summary>
internal sealed class SessionlessObserverSlotAssigner(CoapCluster cluster)
{
    private readonly Lock _gate = new();

    // By the bytes of the key, with 0 as the slot of all.
    private readonly Dictionary<CoapRecordKey, (CoapSlot Slot, CoapPersistedObserver? Observer)> _places = [];

    /// <summary>Returns the key for an observer.</summary>
    /// <param name="bytes">The bytes of the key.</param>
    /// <param name="observer">The observer.</param>
    public CoapRecordKey PlaceFor(byte[] bytes, CoapPersistedObserver observer)
    {
        lock (_gate)
        {
            CoapRecordKey name = NameOf(bytes);
            CoapSlot slot = _places.TryGetValue(name, out (CoapSlot Slot, CoapPersistedObserver?) place) && IsOurs(place.Slot)
                ? place.Slot
                : Choose(bytes);
            _places[name] = (slot, observer);
            return new CoapRecordKey(CoapRecordKind.Observer, slot, bytes);
        }
    }

    /// <summary>Records an observer that is about to be restored from a slot, where its record stays.</summary>
    public void Note(CoapRecordKey key)
    {
        lock (_gate)
        {
            _places.TryAdd(NameOf(key.Bytes.Span), (key.Slot, null));
        }
    }

    /// <summary>Removes an observer.</summary>
    /// <param name="bytes">The bytes of its key.</param>
    /// <returns>Its key in the store.</returns>
    public CoapRecordKey Forget(byte[] bytes)
    {
        lock (_gate)
        {
            return new CoapRecordKey(CoapRecordKind.Observer,
                _places.Remove(NameOf(bytes), out (CoapSlot Slot, CoapPersistedObserver?) place) ? place.Slot : Choose(bytes), bytes);
        }
    }

    /// <summary>Returns the observers whose slot another node owns now; they need a new slot.</summary>
    public IReadOnlyList<CoapPersistedObserver> Homeless()
    {
        lock (_gate)
        {
            return cluster.Map.Version == 0
                ? []
                : [.. _places.Values.Where(place => !IsOurs(place.Slot))
                    .Select(static place => place.Observer).OfType<CoapPersistedObserver>()];
        }
    }

    /// <summary>
    /// Returns the observers of a slot that is about to move; they need a new slot, and their old record must be removed.
    /// </summary>
    public IReadOnlyList<CoapPersistedObserver> Of(CoapSlot slot)
    {
        lock (_gate)
        {
            return [.. _places.Values.Where(place => place.Slot == slot)
                .Select(static place => place.Observer).OfType<CoapPersistedObserver>()];
        }
    }

    private static CoapRecordKey NameOf(ReadOnlySpan<byte> bytes) => new(CoapRecordKind.Observer, default, bytes);

    private bool IsOurs(CoapSlot slot) => cluster.FenceOf(slot) is { IsSet: true } fence && !cluster.Releases.IsMoving(slot, fence);

    // The first own slot, starting with that of its name; none before the first map of the store.
    private CoapSlot Choose(byte[] bytes)
    {
        byte first = CoapSlot.OfName(bytes).Number;
        for (int i = 0; i < CoapSlot.Count; i++)
        {
            CoapSlot slot = new(unchecked((byte)(first + i)));
            if (IsOurs(slot))
            {
                return slot;
            }
        }

        return new CoapSlot(first);
    }
}
