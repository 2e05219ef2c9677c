using System.Buffers.Binary;
using System.Collections.Concurrent;
using CoAP.NET.Guarding;
using CoAP.NET.ResourceDirectory.Lookups;
using CoAP.NET.ResourceDirectory.Registrations;

namespace CoAP.NET.ResourceDirectory.Index;

/// <summary>
/// Indexes all registrations of a directory by name, by attributes of endpoints and links, and by lifetime. Each node has a full index.
/// Thread-safe; no code of users runs under its lock, and lookups read a few registrations at a time.
/// </summary>
internal sealed class DirectoryIndex
{
    /// <summary>The length of a key in bytes.</summary>
    public const int KeyLength = 12;

    // The cost of a registration in addition to its bytes: its place, its entries in the lists of all, and each term.
    private const int CostOfPlace = 128;
    private const int CostOfTerm = 32;
    private const int TableBits = 6;

    private readonly Lock _gate = new();
    private readonly RegistrationSlotTable _places = new();
    private readonly PostingList _all;
    private readonly PostingList _active;
    private readonly LifetimeHeap _ending;
    private readonly LifetimeHeap _ended;
    private readonly TermTable[] _terms = new TermTable[1 << TableBits];
    private readonly RegistrationTermExtractor _reader;
    private readonly ConcurrentBag<RegistrationTermExtractor> _readers = [];
    private readonly AttributeIndexHash _hash;
    private readonly TimeProvider _time;
    private readonly DirectoryChangeQueue _changes;
    private readonly long _start;

    /// <summary>Creates an empty index.</summary>
    /// <param name="time">The clock.</param>
    /// <param name="hash">The hash of terms.</param>
    /// <param name="changes">Receives changes of the visible registrations.</param>
    /// <param name="shares">The shares of the sources.</param>
    public DirectoryIndex(TimeProvider time, AttributeIndexHash hash, DirectoryChangeQueue changes, RegistrationQuota shares)
    {
        Quota = shares;
        _time = time;
        _changes = changes;
        _start = time.GetTimestamp();
        _hash = hash;
        _reader = new RegistrationTermExtractor(hash);
        _all = new PostingList(_places);
        _active = new PostingList(_places);
        _ending = new LifetimeHeap(_places);
        _ended = new LifetimeHeap(_places);
        for (int i = 0; i < _terms.Length; i++)
        {
            _terms[i] = new TermTable(_places);
        }
    }

    /// <summary>The time in milliseconds since the creation of the index.</summary>
    public long Now => (long)_time.GetElapsedTime(_start).TotalMilliseconds;

    public RegistrationQuota Quota { get; }

    /// <summary>The number of registrations, including expired ones.</summary>
    public int Count
    {
        get
        {
            lock (_gate)
            {
                return _places.Count;
            }
        }
    }

    /// <summary>The number of visible registrations.</summary>
    public int ActiveCount
    {
        get
        {
            lock (_gate)
            {
                return _active.Count;
            }
        }
    }

    /// <summary>Returns the bytes that a registration takes of the directory's limit.</summary>
    public static int CostOf(Registration registration, int terms) =>
        registration.Bytes.Length + KeyLength + CostOfPlace + (CostOfTerm * terms);

    /// <summary>Adds or replaces a registration.</summary>
    /// <param name="key">Its key.</param>
    /// <param name="registration">The registration.</param>
    /// <param name="left">The time for which it is visible.</param>
    public void Set(ReadOnlySpan<byte> key, Registration registration, TimeSpan left)
    {
        (ulong order, uint tail) = OrderOf(key);
        long until = Now + (long)left.TotalMilliseconds;
        if (TryExtend(order, tail, registration, until))
        {
            return;
        }

        // Parsing takes longest and happens outside of the lock.
        RegistrationTermExtractor reader = _readers.TryTake(out RegistrationTermExtractor? used) ? used
            : new RegistrationTermExtractor(_hash);
        Set(order, tail, registration, until, reader.Read(registration));
        _readers.Add(reader);
    }

    // Calls for one registration come in order, so only the end of its lifetime can come between the two locks.
    private bool TryExtend(ulong order, uint tail, Registration registration, long until)
    {
        lock (_gate)
        {
            int id = _all.Find(order);
            if (id < 0)
            {
                return false;
            }

            ref RegistrationSlot place = ref _places[id];
            if (place.Tail != tail || !place.IsActive || until <= Now || !place.Registration.Found.SequenceEqual(registration.Found))
            {
                return false;
            }

            place.Registration = registration;
            place.ActiveUntil = until;
            _ending.Update(id);
            Account(ref place, id, place.Cost);
            return true;
        }
    }

    private void Set(ulong order, uint tail, Registration registration, long until, ReadOnlySpan<(ulong Hash, ushort Links)> terms)
    {
        lock (_gate)
        {
            int id = _all.Find(order);
            if (id < 0)
            {
                Enter(order, tail, registration, until, terms);
                return;
            }

            ref RegistrationSlot place = ref _places[id];
            if (place.Tail != tail)
            {
                // Two names with the same eight bytes of a keyed hash: once in thousands of years.
                return;
            }

            Registration? before = place.IsActive ? place.Registration : null;
            Leave(ref place, id, registration);
            place.Registration = registration;
            place.ActiveUntil = until;
            Settle(ref place, id, terms);
            _changes.Note(before, place.IsActive ? registration : null);
        }
    }

    public void Remove(ReadOnlySpan<byte> key)
    {
        (ulong order, uint tail) = OrderOf(key);
        lock (_gate)
        {
            int id = _all.Find(order);
            if (id < 0 || _places[id].Tail != tail)
            {
                return;
            }

            ref RegistrationSlot place = ref _places[id];
            Registration before = place.Registration;
            _changes.Note(place.IsActive ? before : null, null);
            Unlist(ref place, id);
            (place.IsActive ? _ending : _ended).Remove(id);
            Quota.Remove(place.Member);
            _all.Remove(id);
            _places.Free(id);
        }
    }

    /// <summary>Finds a registration by key, including expired ones; null for none.</summary>
    public Registration? Find(ReadOnlySpan<byte> key)
    {
        (ulong order, uint tail) = OrderOf(key);
        lock (_gate)
        {
            int id = _all.Find(order);
            return id >= 0 && _places[id].Tail == tail ? _places[id].Registration : null;
        }
    }

    /// <summary>Hides the registrations whose lifetime is over.</summary>
    /// <returns>The number of hidden registrations.</returns>
    public int EndLifetimes()
    {
        long now = Now;
        int ended = 0;
        lock (_gate)
        {
            while (_ending.Count != 0 && _places[_ending.First].ActiveUntil <= now)
            {
                int id = _ending.First;
                ref RegistrationSlot place = ref _places[id];
                ended++;
                _changes.Note(place.Registration, null);
                Unlist(ref place, id);
                _ending.Remove(id);
                place.IsActive = false;
                _ended.Add(id);
            }

            return ended;
        }
    }

    /// <summary>Returns the key of the registration that expired first; null if none has expired.</summary>
    public byte[]? FindOldestEnded()
    {
        lock (_gate)
        {
            if (_ended.Count == 0)
            {
                return null;
            }

            byte[] key = new byte[KeyLength];
            _places[_ended.First].Entry.WriteKey(key);
            return key;
        }
    }

    /// <summary>
    /// Selects a registration of the source with the most to evict for a source with fewer. It no longer counts from then on.
    /// </summary>
    /// <param name="share">The hash of the requesting source.</param>
    /// <param name="cost">The requested bytes.</param>
    /// <returns>The registration; null if none has to be evicted.</returns>
    public DirectoryEntry? TakeForRoom(ulong share, long cost)
    {
        lock (_gate)
        {
            int id = Quota.TakeForRoom(share, cost);
            return id < 0 ? null : _places[id].Entry;
        }
    }

    /// <summary>Counts a selected registration again that still exists.</summary>
    public void GiveBack(in DirectoryEntry entry)
    {
        lock (_gate)
        {
            int id = _all.Find(entry.Order);
            if (id >= 0 && _places[id].Tail == entry.Tail)
            {
                Account(ref _places[id], id, _places[id].Cost);
            }
        }
    }

    /// <summary>Counts the registrations with a term.</summary>
    public int CountOf(ReadOnlySpan<byte> name, ReadOnlySpan<byte> value)
    {
        ulong hash = _hash.Of(name, value);
        lock (_gate)
        {
            PostingList? list = TableOf(hash).Find(hash, out int id);
            return list?.Count ?? (id < 0 ? 0 : 1);
        }
    }

    /// <summary>Skips results of a lookup as far as possible without reading single registrations.</summary>
    /// <param name="term">The term to follow; null for all registrations.</param>
    /// <param name="results">The number of results to skip; afterwards the rest.</param>
    /// <param name="ofLinks">Whether results are links; otherwise registrations.</param>
    /// <returns>The order to read from.</returns>
    public ulong Skip(in LookupTerm? term, ref long results, bool ofLinks)
    {
        lock (_gate)
        {
            return ListOf(term, out _)?.Skip(ref results, ofLinks) ?? 0;
        }
    }

    /// <summary>Counts the results of a lookup that every registration with a term matches.</summary>
    /// <param name="term">The term to follow; null for all registrations.</param>
    /// <param name="ofLinks">Whether results are links; otherwise registrations.</param>
    /// <returns>The number of results that every client gets, and the number of registrations that are visible on one network link
    /// only.</returns>
    public (long Certain, long Hidden) CountResults(in LookupTerm? term, bool ofLinks)
    {
        lock (_gate)
        {
            // A term of a single registration has no list; one result needs no count.
            return ListOf(term, out _)?.CountResults(ofLinks) ?? default;
        }
    }

    /// <summary>Reads registrations in order.</summary>
    /// <param name="term">The term to follow; null for all registrations.</param>
    /// <param name="from">The order to start from; afterwards the next one.</param>
    /// <param name="into">Receives the registrations.</param>
    /// <returns>The number of registrations; less than the capacity only at the end.</returns>
    public int Read(in LookupTerm? term, ref ulong from, Span<DirectoryEntry> into)
    {
        lock (_gate)
        {
            if (ListOf(term, out int id) is { } list)
            {
                return list.Read(ref from, into);
            }

            if (id < 0 || _places[id].Order < from)
            {
                return 0;
            }

            into[0] = _places[id].Entry;
            from = ulong.MaxValue;
            return 1;
        }
    }

    public int CountTerms(Registration registration)
    {
        RegistrationTermExtractor reader = _readers.TryTake(out RegistrationTermExtractor? used) ? used
            : new RegistrationTermExtractor(_hash);
        int count = reader.Read(registration).Length;
        _readers.Add(reader);
        return count;
    }

    /// <summary>Returns the position of a key in the order of all.</summary>
    public static (ulong Order, uint Tail) OrderOf(ReadOnlySpan<byte> key) =>
        (BinaryPrimitives.ReadUInt64BigEndian(key), BinaryPrimitives.ReadUInt32BigEndian(key[8..]));

    private PostingList? ListOf(in LookupTerm? term, out int id)
    {
        id = -1;
        if (term is not { } one)
        {
            return _active;
        }

        ulong hash = _hash.Of(one.Name.Span, one.Value.Span);
        return TableOf(hash).Find(hash, out id);
    }

    private TermTable TableOf(ulong hash) => _terms[hash >> (64 - TableBits)];

    private void Enter(
        ulong order, uint tail, Registration registration, long until, ReadOnlySpan<(ulong Hash, ushort Links)> terms)
    {
        int id = _places.Take();
        ref RegistrationSlot place = ref _places[id];
        place = new RegistrationSlot
        {
            Registration = registration, Order = order, Tail = tail, ActiveUntil = until, HeapIndex = -1,
            Member = CompactSourceUsage<int>.None,
        };
        _all.Add(new IndexPosting(id, 0));
        Settle(ref place, id, terms);
        _changes.Note(null, place.IsActive ? registration : null);
    }

    // Removes the old terms before the registration changes.
    private void Leave(ref RegistrationSlot place, int id, Registration next)
    {
        if (place.IsActive && !place.Registration.Found.SequenceEqual(next.Found))
        {
            Unlist(ref place, id);
            _ending.Remove(id);
            place.IsActive = false;
            place.HeapIndex = -1;
        }
        else if (!place.IsActive)
        {
            _ended.Remove(id);
        }
    }

    private void Settle(ref RegistrationSlot place, int id, ReadOnlySpan<(ulong Hash, ushort Links)> terms)
    {
        if (place.IsActive)
        {
            Unlist(ref place, id);
            _ending.Remove(id);
            place.IsActive = false;
        }

        if (place.ActiveUntil <= Now)
        {
            _ended.Add(id);
            Account(ref place, id, CostOf(place.Registration, 0));
            return;
        }

        place.LinkCount = (ushort)place.Registration.LinkCount;
        place.IsLinkLocal = (place.Registration.Kind & Registration.Traits.IsLinkLocal) != 0;
        Account(ref place, id, CostOf(place.Registration, terms.Length));
        Fetch(terms);
        foreach ((ulong hash, ushort links) in terms)
        {
            TableOf(hash).Add(hash, new IndexPosting(id, links));
        }

        _active.Add(new IndexPosting(id, place.LinkCount));
        place.IsActive = true;
        _ending.Add(id);
    }

    // Prefetches the terms, which are spread over memory, so that the cache misses overlap.
    private void Fetch(ReadOnlySpan<(ulong Hash, ushort Links)> terms)
    {
        foreach ((ulong hash, _) in terms)
        {
            TableOf(hash).Fetch(hash);
        }

        foreach ((ulong hash, _) in terms)
        {
            TableOf(hash).FetchList(hash);
        }
    }

    private void Account(ref RegistrationSlot place, int id, int cost)
    {
        place.Cost = cost;
        place.Member = Quota.Put(place.Member, place.Registration.Owner.SourceHash, id, cost);
    }

    private void Unlist(ref RegistrationSlot place, int id)
    {
        if (place.IsActive)
        {
            foreach ((ulong hash, _) in _reader.Read(place.Registration))
            {
                TableOf(hash).Remove(hash, id);
            }

            _active.Remove(id);
        }
    }
}
