namespace CoAP.NET.Dtls.Sessions;

/// <summary>
/// Counts the members of each source, and finds the source with most in constant time. A source with one member, as most are, takes some 16
/// bytes. Not thread-safe.
/// </summary>
/// <typeparam name="T">The type of a member; a member is in it at most once.</typeparam>
internal sealed class SourceMemberCounts<T>
    where T : class, ISourceOwned
{
    private const int MinSlots = 16;

    // The sources of each size, from two members. There are never more sizes than the square root of twice the members.
    private readonly Dictionary<int, HashSet<SourceCount>> _bySize = [];

    // By source, with linear probing: the only member of a source, or its share. A power of two, at most three quarters used.
    private object?[] _slots = new object?[MinSlots];
    private int _used;
    private int _singles;
    private int _most;

    /// <summary>Number of members.</summary>
    public int Count { get; private set; }

    /// <summary>Number of members of the source with most; 0 if empty.</summary>
    public int Most => _most > 0 ? _most : Math.Min(_singles, 1);

    /// <summary>Returns the number of members of a source.</summary>
    /// <param name="source">The source.</param>
    public int CountOf(uint source) => _slots[Find(source)] switch { null => 0, SourceCount share => share.Members.Count, _ => 1 };

    /// <summary>Returns the members of a source, in no order.</summary>
    /// <param name="source">The source.</param>
    public IReadOnlyCollection<T> Of(uint source) =>
        _slots[Find(source)] switch { null => [], SourceCount share => share.Members, var single => [(T)single] };

    /// <summary>
    /// Returns the members of a source that has most, in no order. If no source has more than one, these are all members.
    /// </summary>
    public IEnumerable<T> OfGreediest() => _most > 0 ? _bySize[_most].First().Members : _slots.OfType<T>();

    /// <summary>Reserves capacity, so that it need not grow step by step.</summary>
    /// <param name="further">The number of further members, if each has a source of its own.</param>
    public void Reserve(int further)
    {
        int length = _slots.Length;
        while (_used + further >= length / 4 * 3)
        {
            length *= 2;
        }

        if (length > _slots.Length)
        {
            Resize(length);
        }
    }

    /// <summary>Adds a member.</summary>
    /// <param name="member">A member that is not in it.</param>
    public void Add(T member)
    {
        int at = Find(member.Source);
        Count++;
        switch (_slots[at])
        {
            case null:
                _slots[at] = member;
                _singles++;
                if (++_used > _slots.Length / 4 * 3)
                {
                    Resize(2 * _slots.Length);
                }

                break;
            case SourceCount share:
                Unlist(share);
                share.Members.Add(member);
                List(share);
                break;
            case T other:
                SourceCount made = new(member.Source) { Members = { other, member } };
                _slots[at] = made;
                _singles--;
                List(made);
                break;
        }
    }

    /// <summary>Removes a member.</summary>
    /// <param name="member">A member that is in it.</param>
    public void Remove(T member)
    {
        int at = Find(member.Source);
        Count--;
        if (_slots[at] is not SourceCount share)
        {
            _singles--;
            Clear(at);
            return;
        }

        Unlist(share);
        share.Members.Remove(member);
        if (share.Members.Count > 1)
        {
            List(share);
        }
        else
        {
            _slots[at] = share.Members.First();
            _singles++;
        }

        // If no other source had as many, this source has most with one less; with only one left it counts as single.
        if (_most > 0 && !_bySize.ContainsKey(_most))
        {
            _most = _most > 2 ? _most - 1 : 0;
        }
    }

    private static uint SourceAt(object there) => there is SourceCount share ? share.Source : ((T)there).Source;

    // Sources are already keyed hashes.
    private int Find(uint source)
    {
        int at = (int)source & (_slots.Length - 1);
        while (_slots[at] is { } there && SourceAt(there) != source)
        {
            at = (at + 1) & (_slots.Length - 1);
        }

        return at;
    }

    private void Clear(int at)
    {
        _slots[at] = null;
        _used--;

        // Those after it move up, so that lookups still reach them.
        for (int next = (at + 1) & (_slots.Length - 1); _slots[next] is { } there; next = (next + 1) & (_slots.Length - 1))
        {
            _slots[next] = null;
            _slots[Find(SourceAt(there))] = there;
        }

        if (_slots.Length > MinSlots && _used < _slots.Length / 8)
        {
            Resize(_slots.Length / 2);
        }
    }

    private void Resize(int length)
    {
        object?[] before = _slots;
        _slots = new object?[length];
        foreach (object? there in before)
        {
            if (there is not null)
            {
                _slots[Find(SourceAt(there))] = there;
            }
        }
    }

    private void List(SourceCount share)
    {
        int size = share.Members.Count;
        _most = Math.Max(_most, size);
        if (!_bySize.TryGetValue(size, out HashSet<SourceCount>? others))
        {
            _bySize[size] = others = [];
        }

        others.Add(share);
    }

    private void Unlist(SourceCount share)
    {
        HashSet<SourceCount> others = _bySize[share.Members.Count];
        others.Remove(share);
        if (others.Count == 0)
        {
            _bySize.Remove(share.Members.Count);
        }
    }

    private sealed class SourceCount(uint source)
    {
        public uint Source => source;

        public HashSet<T> Members { get; } = [];
    }
}
