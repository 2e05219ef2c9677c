namespace CoAP.NET.Cluster;

/// <summary>
/// In which slots the observers of a server stand that have no session, which would have one: each in a slot that this node has. When the
/// slot goes to another node, the observer stays, as its datagrams come here, and its record is put into another slot. Thread-safe.
/// </summary>
/// <param name="cluster">The cluster.</param>
internal sealed class PlainObservers(CoapCluster cluster)
{
    private readonly Lock _gate = new();

    // By the bytes of the key, for which the slot of all of them is 0.
    private readonly Dictionary<CoapRecordKey, (CoapSlot Slot, CoapKeptObserver? Observer)> _places = [];

    /// <summary>Under which key an observer is put.</summary>
    /// <param name="bytes">The bytes of the key.</param>
    /// <param name="observer">The observer.</param>
    public CoapRecordKey PlaceFor(byte[] bytes, CoapKeptObserver observer)
    {
        lock (_gate)
        {
            CoapRecordKey name = NameOf(bytes);
            CoapSlot slot = _places.TryGetValue(name, out (CoapSlot Slot, CoapKeptObserver?) place) && IsOurs(place.Slot)
                ? place.Slot
                : Choose(bytes);
            _places[name] = (slot, observer);
            return new CoapRecordKey(CoapRecordKind.Observer, slot, bytes);
        }
    }

    /// <summary>An observer is about to be put back from a slot, where its record stays.</summary>
    /// <param name="key">The key of its record.</param>
    public void Note(CoapRecordKey key)
    {
        lock (_gate)
        {
            _places.TryAdd(NameOf(key.Bytes.Span), (key.Slot, null));
        }
    }

    /// <summary>An observer is none any more.</summary>
    /// <param name="bytes">The bytes of its key.</param>
    /// <returns>The key under which it stands.</returns>
    public CoapRecordKey Forget(byte[] bytes)
    {
        lock (_gate)
        {
            return new CoapRecordKey(CoapRecordKind.Observer,
                _places.Remove(NameOf(bytes), out (CoapSlot Slot, CoapKeptObserver?) place) ? place.Slot : Choose(bytes), bytes);
        }
    }

    /// <summary>Those whose slot another node has now; they are to be put anew.</summary>
    public IReadOnlyList<CoapKeptObserver> Homeless()
    {
        lock (_gate)
        {
            return cluster.Map.Version == 0
                ? []
                : [.. _places.Values.Where(place => !IsOurs(place.Slot)).Select(static place => place.Observer).OfType<CoapKeptObserver>()];
        }
    }

    /// <summary>Those of a slot; they are to be removed there and put anew, as the slot is about to move.</summary>
    /// <param name="slot">The slot.</param>
    public IReadOnlyList<CoapKeptObserver> Of(CoapSlot slot)
    {
        lock (_gate)
        {
            return [.. _places.Values.Where(place => place.Slot == slot).Select(static place => place.Observer).OfType<CoapKeptObserver>()];
        }
    }

    private static CoapRecordKey NameOf(ReadOnlySpan<byte> bytes) => new(CoapRecordKind.Observer, default, bytes);

    private bool IsOurs(CoapSlot slot) => cluster.FenceOf(slot) is { IsSet: true } fence && !cluster.Mover.IsMoving(slot, fence);

    // The first that is ours, from that of its name on; before the first word of the store none is.
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
