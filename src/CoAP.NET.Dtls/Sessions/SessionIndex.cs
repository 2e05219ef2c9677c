namespace CoAP.NET.Dtls.Sessions;

/// <summary>
/// Sessions by something that they have themselves, which is therefore not kept again: some 16 bytes for each. Look-ups take no lock;
/// changes are made under that of the owner. A session must be taken out before what it is found by changes.
/// </summary>
/// <typeparam name="TKey">What a session is found by.</typeparam>
internal abstract class SessionIndex<TKey>
    where TKey : struct
{
    private const int MinLength = 16;

    // Stands where a session was taken out, so that those behind it are found.
    private static readonly object s_gone = new();

    // A power of two, at most three quarters used. Replaced as a whole when it is too small or has too many holes.
    private object?[] _places = new object?[MinLength];
    private int _used;

    /// <summary>How many there are.</summary>
    public int Count { get; private set; }

    /// <summary>The one with a key.</summary>
    /// <param name="key">The key.</param>
    /// <returns>It, or null.</returns>
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

    /// <summary>Makes room for further ones, so that it need not grow step by step.</summary>
    /// <param name="further">How many.</param>
    public void Reserve(int further)
    {
        if (_used + further >= _places.Length / 4 * 3)
        {
            Rebuild(Count + further);
        }
    }

    /// <summary>Puts one in.</summary>
    /// <param name="key">Its key.</param>
    /// <param name="session">The session.</param>
    /// <returns>False when there is one with this key.</returns>
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

    /// <summary>Takes one out.</summary>
    /// <param name="key">Its key.</param>
    /// <param name="session">The session.</param>
    /// <returns>Whether it was there.</returns>
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

    /// <summary>The key of a session.</summary>
    /// <param name="session">The session.</param>
    protected abstract TKey KeyOf(DtlsSession session);

    /// <summary>Spreads keys; all of 32 bits are used.</summary>
    /// <param name="key">The key.</param>
    protected abstract uint Hash(in TKey key);

    /// <summary>Whether a session is the one that a key names.</summary>
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
