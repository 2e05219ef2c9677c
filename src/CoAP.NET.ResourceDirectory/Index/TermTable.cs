namespace CoAP.NET.ResourceDirectory;

/// <summary>
/// From the hash of a term, such as <c>rt=light</c>, to the registrations that have it. Most terms, such as names of endpoints, have one:
/// those cost a place in the table and nothing else.
/// </summary>
/// <param name="places">All places.</param>
internal sealed class TermTable(DirectoryPlaces places)
{
    private const int Empty = 0;
    private const int FirstSize = 16;

    private readonly List<PostingList?> _lists = [];
    private readonly Stack<int> _freeLists = [];
    private ulong[] _hashes = new ulong[FirstSize];

    // 0: nothing; above 0: the place of the only registration, and 1; below 0: the number of a list, and 1, negated.
    private int[] _values = new int[FirstSize];

    // How many links of the only registration have it.
    private ushort[] _links = new ushort[FirstSize];
    private int _count;

    /// <summary>The only registration of a term, or the list of several.</summary>
    /// <param name="hash">The term.</param>
    /// <param name="id">The place of the only one; -1 for none and for several.</param>
    /// <returns>The list of several; null for none or one.</returns>
    public PostingList? Find(ulong hash, out int id)
    {
        int value = _values[IndexOf(hash)];
        id = value > 0 ? value - 1 : -1;
        return value < 0 ? _lists[-value - 1] : null;
    }

    public void Add(ulong hash, Posting posting)
    {
        int at = IndexOf(hash);
        int value = _values[at];
        if (value == Empty)
        {
            _hashes[at] = hash;
            _values[at] = posting.Id + 1;
            _links[at] = posting.Links;
            if (++_count * 4 > _hashes.Length * 3)
            {
                Grow();
            }

            return;
        }

        if (value > 0)
        {
            PostingList list = new(places);
            list.Add(new Posting(value - 1, _links[at]));
            if (!_freeLists.TryPop(out int index))
            {
                index = _lists.Count;
                _lists.Add(null);
            }

            _lists[index] = list;
            _values[at] = value = -index - 1;
        }

        _lists[-value - 1]!.Add(posting);
    }

    public void Remove(ulong hash, int id)
    {
        int at = IndexOf(hash);
        int value = _values[at];
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
        int mask = _hashes.Length - 1;
        int at = (int)(hash & (uint)mask);
        while (_values[at] != Empty && _hashes[at] != hash)
        {
            at = (at + 1) & mask;
        }

        return at;
    }

    // Those behind it that stand there because it stood here move up.
    private void RemoveAt(int hole)
    {
        int mask = _hashes.Length - 1;
        _values[hole] = Empty;
        _count--;
        for (int at = (hole + 1) & mask; _values[at] != Empty; at = (at + 1) & mask)
        {
            int wanted = (int)(_hashes[at] & (uint)mask);
            if (((at - wanted) & mask) >= ((at - hole) & mask))
            {
                (_hashes[hole], _values[hole], _links[hole]) = (_hashes[at], _values[at], _links[at]);
                _values[at] = Empty;
                hole = at;
            }
        }
    }

    private void Grow()
    {
        ulong[] hashes = _hashes;
        int[] values = _values;
        ushort[] links = _links;
        _hashes = new ulong[2 * hashes.Length];
        _values = new int[_hashes.Length];
        _links = new ushort[_hashes.Length];
        for (int i = 0; i < hashes.Length; i++)
        {
            if (values[i] != Empty)
            {
                int at = IndexOf(hashes[i]);
                (_hashes[at], _values[at], _links[at]) = (hashes[i], values[i], links[i]);
            }
        }
    }
}
