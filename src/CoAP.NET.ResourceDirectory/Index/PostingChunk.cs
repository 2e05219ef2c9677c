namespace CoAP.NET.ResourceDirectory.Index;

/// <summary>A part of a list: some registrations in order, with their sums.</summary>
internal sealed class PostingChunk
{
    /// <summary>The maximum number of registrations in a part.</summary>
    public const int Capacity = 512;

    private const int FirstSize = 2;

    private int[] _ids = new int[FirstSize];
    private ushort[] _links = new ushort[FirstSize];

    public int Count { get; private set; }

    /// <summary>The number of links.</summary>
    public int LinkSum { get; private set; }

    /// <summary>The number of registrations that are visible on one network link only.</summary>
    public int LinkLocal { get; private set; }

    /// <summary>The order of its first registration.</summary>
    public ulong First { get; private set; }

    /// <summary>The order of its last registration.</summary>
    public ulong Last { get; private set; }

    public IndexPosting this[int at] => new(_ids[at], _links[at]);

    /// <summary>Returns the first position that is not before an order.</summary>
    public int Find(RegistrationSlotTable places, ulong order)
    {
        int low = 0;
        int high = Count;
        while (low < high)
        {
            int middle = (low + high) / 2;
            (low, high) = places[_ids[middle]].Order < order ? (middle + 1, high) : (low, middle);
        }

        return low;
    }

    /// <summary>Prefetches the end of the part into the processor cache.</summary>
    public void Fetch()
    {
        int last = Count - 1;
        Volatile.Read(ref _ids[last]);
        Volatile.Read(ref _links[last]);
    }

    public void Insert(RegistrationSlotTable places, int at, IndexPosting posting)
    {
        if (Count == _ids.Length)
        {
            Array.Resize(ref _ids, Math.Min(Capacity, 2 * Count));
            Array.Resize(ref _links, _ids.Length);
        }

        _ids.AsSpan(at, Count - at).CopyTo(_ids.AsSpan(at + 1));
        _links.AsSpan(at, Count - at).CopyTo(_links.AsSpan(at + 1));
        _ids[at] = posting.Id;
        _links[at] = posting.Links;
        Count++;
        LinkSum += posting.Links;
        ref RegistrationSlot place = ref places[posting.Id];
        LinkLocal += place.IsLinkLocal ? 1 : 0;
        First = at == 0 ? place.Order : First;
        Last = at == Count - 1 ? place.Order : Last;
    }

    public void RemoveAt(RegistrationSlotTable places, int at)
    {
        LinkSum -= _links[at];
        LinkLocal -= places[_ids[at]].IsLinkLocal ? 1 : 0;
        Count--;
        _ids.AsSpan(at + 1, Count - at).CopyTo(_ids.AsSpan(at));
        _links.AsSpan(at + 1, Count - at).CopyTo(_links.AsSpan(at));
        Settle(places);
    }

    /// <summary>Splits off the second half.</summary>
    public PostingChunk Split(RegistrationSlotTable places)
    {
        int half = Count / 2;
        PostingChunk other = new() { _ids = new int[Count - half], _links = new ushort[Count - half], Count = Count - half };
        _ids.AsSpan(half, other.Count).CopyTo(other._ids);
        _links.AsSpan(half, other.Count).CopyTo(other._links);
        for (int i = 0; i < other.Count; i++)
        {
            other.LinkSum += other._links[i];
            other.LinkLocal += places[other._ids[i]].IsLinkLocal ? 1 : 0;
        }

        Count = half;
        LinkSum -= other.LinkSum;
        LinkLocal -= other.LinkLocal;
        Settle(places);
        other.Settle(places);
        return other;
    }

    private void Settle(RegistrationSlotTable places) =>
        (First, Last) = Count == 0 ? (0, 0) : (places[_ids[0]].Order, places[_ids[Count - 1]].Order);
}
