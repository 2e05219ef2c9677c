namespace CoAP.NET.Dtls.Sessions;

/// <summary>
/// An index of sessions by a key that they contain themselves, so that the index does not store it again: some 16 bytes per session.
/// Lookups take no lock; changes run under the owner's. Remove a session before its key changes.
/// </summary>
/// <typeparam name="TKey">The type of the key.</typeparam>
internal abstract class SessionIndex<TKey>
    where TKey : struct
{
    private const int MinLength = 16;

    // Marks the place of a removed session, so that lookups reach those after it.
    private static readonly object s_gone = new();

    // A power of two, at most three quarters used. Replaced as a whole if it is too small or has too many holes.
    private object?[] _places = new object?[MinLength];
    private int _used;

    /// <summary>Number of sessions.</summary>
    public int Count { get; private set; }

    /// <summary>Finds the session with a key.</summary>
    /// <param name="key">The key.</param>
    /// <returns>The session, or null.</returns>
    public DtlsSession? Find(in TKey key)
    {
        object?[] places = Volatile.Read(ref _places);
        for (int i = (int)Hash(key) & (places.Length - 1); Volatile.Read(ref places[i]) is { } there; i = (i + 1) & (places.Length - 1))
        {
            if (there is DtlsSession session && Has(session, key))
            {
                return session;
            }
        }

        return null;
    }

    /// <summary>Reserves capacity, so that the index need not grow step by step.</summary>
    /// <param name="further">The number of further sessions.</param>
    public void Reserve(int further)
    {
        if (_used + further >= _places.Length / 4 * 3)
        {
            Rebuild(Count + further);
        }
    }

    /// <summary>Adds a session.</summary>
    /// <param name="key">Its key.</param>
    /// <param name="session">The session.</param>
    /// <returns>False if there is already one with this key.</returns>
    public bool TryAdd(in TKey key, DtlsSession session)
    {
        if (Find(key) is not null)
        {
            return false;
        }

        if (_used >= _places.Length / 4 * 3)
        {
            Rebuild(Count);
        }

        Put(_places, (int)Hash(key), session);
        _used++;
        Count++;
        return true;
    }

    /// <summary>Removes a session.</summary>
    /// <param name="key">Its key.</param>
    /// <param name="session">The session.</param>
    /// <returns>Whether it was in the index.</returns>
    public bool Remove(in TKey key, DtlsSession session)
    {
        for (int i = (int)Hash(key) & (_places.Length - 1); _places[i] is { } there; i = (i + 1) & (_places.Length - 1))
        {
            if (there == session)
            {
                Volatile.Write(ref _places[i], s_gone);
                Count--;
                if (_places.Length > MinLength && Count < _places.Length / 8)
                {
                    Rebuild(Count);
                }

                return true;
            }
        }

        return false;
    }

    /// <summary>Returns the key of a session.</summary>
    /// <param name="session">The session.</param>
    protected abstract TKey KeyOf(DtlsSession session);

    /// <summary>Hashes a key; the index uses all 32 bits.</summary>
    /// <param name="key">The key.</param>
    protected abstract uint Hash(in TKey key);

    /// <summary>Whether a session has a key.</summary>
    /// <param name="session">The session.</param>
    /// <param name="key">The key.</param>
    protected virtual bool Has(DtlsSession session, in TKey key) => EqualityComparer<TKey>.Default.Equals(KeyOf(session), key);

    private void Rebuild(int count)
    {
        int length = MinLength;
        while (length / 2 <= count)
        {
            length *= 2;
        }

        object?[] places = new object?[length];
        foreach (object? there in _places)
        {
            if (there is DtlsSession session)
            {
                Put(places, (int)Hash(KeyOf(session)), session);
            }
        }

        _used = Count;
        Volatile.Write(ref _places, places);
    }

    private static void Put(object?[] places, int at, DtlsSession session)
    {
        for (at &= places.Length - 1; places[at] is not null; at = (at + 1) & (places.Length - 1))
        {
        }

        Volatile.Write(ref places[at], session);
    }
}
