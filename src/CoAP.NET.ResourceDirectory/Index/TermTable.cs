namespace CoAP.NET.ResourceDirectory.Index;

/// <summary>
/// Maps the hash of a term, such as <c>rt=light</c>, to the registrations that have it. Most terms, such as names of endpoints, have one
/// registration and cost only a slot of the table.
/// </summary>
internal sealed class TermTable(RegistrationSlotTable places)
{
    private const int Empty = 0;
    private const int FirstSize = 16;

    private readonly List<PostingList?> _lists = [];
    private readonly Stack<int> _freeLists = [];
    private Entry[] _entries = new Entry[FirstSize];
    private int _count;

    /// <summary>Finds the only registration of a term, or its list.</summary>
    /// <param name="hash">The term.</param>
    /// <param name="id">The slot of the only registration; -1 for none and for several.</param>
    /// <returns>The list; null for none or one.</returns>
    public PostingList? Find(ulong hash, out int id)
    {
        int value = _entries[IndexOf(hash)].Value;
        id = value > 0 ? value - 1 : -1;
        return value < 0 ? _lists[-value - 1] : null;
    }

    /// <summary>Prefetches the entry of a term. <see cref="FetchList"/> prefetches its list.</summary>
    public void Fetch(ulong hash) => Volatile.Read(ref _entries[(int)hash & (_entries.Length - 1)].Value);

    public void FetchList(ulong hash)
    {
        if (_entries[IndexOf(hash)].Value is < 0 and var value)
        {
            _lists[-value - 1]!.Fetch();
        }
    }

    public void Add(ulong hash, IndexPosting posting)
    {
        ref Entry entry = ref _entries[IndexOf(hash)];
        if (entry.Value == Empty)
        {
            entry = new Entry { Hash = hash, Value = posting.Id + 1, Links = posting.Links };
            if (++_count * 4 > _entries.Length * 3)
            {
                Grow();
            }

            return;
        }

        if (entry.Value > 0)
        {
            PostingList list = new(places);
            list.Add(new IndexPosting(entry.Value - 1, entry.Links));
            if (!_freeLists.TryPop(out int index))
            {
                index = _lists.Count;
                _lists.Add(null);
            }

            _lists[index] = list;
            entry.Value = -index - 1;
        }

        _lists[-entry.Value - 1]!.Add(posting);
    }

    public void Remove(ulong hash, int id)
    {
        int at = IndexOf(hash);
        int value = _entries[at].Value;
        if (value < 0)
        {
            PostingList list = _lists[-value - 1]!;
            list.Remove(id);
            if (list.Count != 0)
            {
                return;
            }

            _lists[-value - 1] = null;
            _freeLists.Push(-value - 1);
        }

        RemoveAt(at);
    }

    private int IndexOf(ulong hash)
    {
        Entry[] entries = _entries;
        int mask = entries.Length - 1;
        int at = (int)(hash & (uint)mask);
        while (entries[at].Value != Empty && entries[at].Hash != hash)
        {
            at = (at + 1) & mask;
        }

        return at;
    }

    // Moves up the following entries that were displaced by this one.
    private void RemoveAt(int hole)
    {
        int mask = _entries.Length - 1;
        _entries[hole].Value = Empty;
        _count--;
        for (int at = (hole + 1) & mask; _entries[at].Value != Empty; at = (at + 1) & mask)
        {
            int wanted = (int)(_entries[at].Hash & (uint)mask);
            if (((at - wanted) & mask) >= ((at - hole) & mask))
            {
                _entries[hole] = _entries[at];
                _entries[at].Value = Empty;
                hole = at;
            }
        }
    }

    private void Grow()
    {
        Entry[] entries = _entries;
        _entries = new Entry[2 * entries.Length];
        foreach (ref readonly Entry entry in entries.AsSpan())
        {
            if (entry.Value != Empty)
            {
                _entries[IndexOf(entry.Hash)] = entry;
            }
        }
    }

    private struct Entry
    {
        public ulong Hash;

        // 0: empty; above 0: the slot of the only registration plus 1; below 0: the number of a list plus 1, negated.
        public int Value;

        // The number of links of the only registration that have it.
        public ushort Links;
    }
}
