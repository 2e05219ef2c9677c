namespace CoAP.NET.Caching;

/// <summary>
/// The shares of a cache, and the slot to evict for lack of room: the least recently used one of the source with the largest share. A
/// source that fills the cache therefore evicts its own responses. Guarded by the lock of the cache.
/// </summary>
/// <param name="slotBytes">The cost of a slot in addition to its size, so that many small ones also count if their number is
/// limited.</param>
internal sealed class CacheQuota(long slotBytes)
{
    // The first of a source is the one that was not used for the longest time.
    private SourceUsage<StoredResponseSet> _ledger = new();

    /// <summary>How many sources have something in it, the caller itself included.</summary>
    public int Count => _ledger.Count;

    /// <summary>The slot that goes next; null when there is none.</summary>
    public StoredResponseSet? Next => _ledger.Greediest?.First?.Owner;

    /// <summary>
    /// Notes that a source uses a slot. The slot moves to this source if it then holds no more than the previous source still does.
    /// </summary>
    /// <param name="slot">The slot.</param>
    /// <param name="source">The source; null for the caller itself.</param>
    public void Use(StoredResponseSet slot, CoapQuotaSource? source)
    {
        // No peer has the default value.
        CoapQuotaSource user = source ?? default;
        if (slot.UsageEntry is not { } holding)
        {
            Put(slot, user);
        }
        else if (holding.Key != user && FairShare.AllowsEviction(_ledger.AmountOf(user) + slot.Size, holding.Source!.Amount - slot.Size))
        {
            Remove(slot);
            Put(slot, user);
        }
        else
        {
            SourceUsage<StoredResponseSet>.Touch(holding);
        }
    }

    /// <summary>A slot became larger or smaller.</summary>
    /// <param name="slot">The slot.</param>
    /// <param name="bytes">By how much.</param>
    public void Resize(StoredResponseSet slot, long bytes) => _ledger.Set(slot.UsageEntry!, slot.UsageEntry!.Amount + bytes);

    public void Remove(StoredResponseSet slot)
    {
        _ledger.Set(slot.UsageEntry!, 0);
        slot.UsageEntry = null;
    }

    /// <summary>Everything goes.</summary>
    public void Clear() => _ledger = new SourceUsage<StoredResponseSet>();

    private void Put(StoredResponseSet slot, CoapQuotaSource source)
    {
        slot.UsageEntry = new SourceUsage<StoredResponseSet>.UsageEntry(slot, source);
        _ledger.Set(slot.UsageEntry, slot.Size + slotBytes);
    }
}
