using System.Diagnostics.CodeAnalysis;

namespace CoAP.NET.Caching;

/// <summary>The slots by key and by URI, in order of use, within bounds. A plain state machine: no lock, no clock.</summary>
/// <param name="maxBytes">The bound in bytes.</param>
/// <param name="maxEntries">The bound in keys.</param>
internal sealed class CacheStore(long maxBytes, int maxEntries)
{
    private readonly Dictionary<CacheKey, StoredResponseSet> _slots = [];
    private readonly Dictionary<string, HashSet<StoredResponseSet>> _byUri = new(StringComparer.Ordinal);
    private readonly CacheQuota _shares = new(maxBytes / Math.Max(1, maxEntries));

    public int Count => _slots.Count;

    public long Bytes { get; private set; }

    /// <summary>How many slots went for lack of room.</summary>
    public long Evictions { get; private set; }

    /// <summary>Finds a slot, without counting it as a use.</summary>
    public bool TryGet(CacheKey key, [NotNullWhen(true)] out StoredResponseSet? slot) => _slots.TryGetValue(key, out slot);

    public int Sources => _shares.Count;

    /// <summary>Finds a slot and makes it the most recently used one.</summary>
    /// <param name="key">The key.</param>
    /// <param name="source">The client of a proxy; null for the caller itself.</param>
    /// <param name="slot">The slot.</param>
    /// <returns>Whether there is one.</returns>
    public bool TryUse(CacheKey key, CoapQuotaSource? source, [NotNullWhen(true)] out StoredResponseSet? slot)
    {
        if (!_slots.TryGetValue(key, out slot))
        {
            return false;
        }

        _shares.Use(slot, source);
        return true;
    }

    /// <summary>Stores a response, and evicts others if there is no room. A response larger than the whole cache is not stored.</summary>
    /// <param name="key">The key of its request.</param>
    /// <param name="response">The response.</param>
    /// <param name="freshUntil">The time until it is fresh.</param>
    /// <param name="source">The client of a proxy; null for the caller itself.</param>
    public void Add(CacheKey key, StoredResponse response, long freshUntil, CoapQuotaSource? source)
    {
        if (!TryUse(key, source, out StoredResponseSet? slot))
        {
            slot = new StoredResponseSet(key);
            _slots.Add(key, slot);
            _shares.Use(slot, source);
            if (!_byUri.TryGetValue(key.Uri, out HashSet<StoredResponseSet>? ofUri))
            {
                _byUri.Add(key.Uri, ofUri = []);
            }

            ofUri.Add(slot);
            Bytes += slot.Size;
        }

        Change(slot, changed => changed.Add(response, freshUntil));
        while ((Bytes > maxBytes || Count > maxEntries) && _shares.Next is { } last)
        {
            Remove(last);
            Evictions++;
        }
    }

    /// <summary>Forbids to use what is stored under a key without asking.</summary>
    public void MarkNotFresh(CacheKey key)
    {
        if (_slots.TryGetValue(key, out StoredResponseSet? slot))
        {
            MarkNotFresh(slot);
        }
    }

    /// <summary>Forbids to use what is stored for a URI without asking.</summary>
    /// <returns>How many slots it hit.</returns>
    public int MarkNotFresh(string uri)
    {
        if (!_byUri.TryGetValue(uri, out HashSet<StoredResponseSet>? ofUri))
        {
            return 0;
        }

        StoredResponseSet[] slots = [.. ofUri];
        foreach (StoredResponseSet slot in slots)
        {
            MarkNotFresh(slot);
        }

        return slots.Length;
    }

    public void Clear()
    {
        _slots.Clear();
        _byUri.Clear();
        _shares.Clear();
        Bytes = 0;
    }

    private void MarkNotFresh(StoredResponseSet slot)
    {
        Change(slot, static changed => changed.MarkNotFresh());
        if (slot.IsEmpty)
        {
            Remove(slot);
        }
    }

    private void Change(StoredResponseSet slot, Action<StoredResponseSet> change)
    {
        long before = slot.Size;
        change(slot);
        long grown = slot.Size - before;
        Bytes += grown;
        _shares.Resize(slot, grown);
    }

    private void Remove(StoredResponseSet slot)
    {
        Bytes -= slot.Size;
        _slots.Remove(slot.Key);
        _shares.Remove(slot);
        HashSet<StoredResponseSet> ofUri = _byUri[slot.Key.Uri];
        ofUri.Remove(slot);
        if (ofUri.Count == 0)
        {
            _byUri.Remove(slot.Key.Uri);
        }
    }
}
