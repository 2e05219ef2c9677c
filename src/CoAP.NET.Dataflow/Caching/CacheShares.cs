namespace CoAP.NET.Caching;

/// <summary>
/// The shares of a cache, and which slot goes for lack of room: of the share that takes most, the one that was not used for the longest
/// time. So whoever fills the cache displaces what was stored for himself. Guarded by the lock of the cache.
/// </summary>
/// <param name="slotBytes">What a slot counts as beside its size, so that many small ones weigh as well where their number is
/// bounded.</param>
internal sealed class CacheShares(long slotBytes)
{
    private readonly Dictionary<CoapSource, CacheShare> _ofSources = [];
    private readonly SortedSet<CacheShare> _bySize = new(Comparer<CacheShare>.Create(static (one, other) =>
        one.Bytes.CompareTo(other.Bytes) is var order and not 0 ? order : one.Number.CompareTo(other.Number)));

    private CacheShare? _own;
    private long _made;

    /// <summary>How many sources have something in it, the caller itself included.</summary>
    public int Count => _bySize.Count;

    /// <summary>The slot that goes next; null when there is none.</summary>
    public CacheSlot? Next => _bySize.Max?.Order.Last?.Value;

    /// <summary>Somebody uses a slot. It goes over to him where he takes less than whose it was even with it.</summary>
    /// <param name="slot">The slot.</param>
    /// <param name="source">For whom; null for the caller itself.</param>
    public void Use(CacheSlot slot, CoapSource? source)
    {
        // A source of which nothing is stored gets a share when something is: most uses change no share.
        if (slot.Share is not { } share)
        {
            Put(slot, Of(source));
        }
        else if (Find(source) is var user && !ReferenceEquals(share, user)
            && (user?.Bytes ?? 0) + slot.Size <= share.Bytes - slot.Size)
        {
            Remove(slot);
            Put(slot, user ?? Of(source));
        }
        else if (share.Order.First != slot.Node)
        {
            share.Order.Remove(slot.Node);
            share.Order.AddFirst(slot.Node);
        }
    }

    /// <summary>A slot became larger or smaller.</summary>
    /// <param name="slot">The slot.</param>
    /// <param name="bytes">By how much.</param>
    public void Resize(CacheSlot slot, long bytes) => Resize(slot.Share!, bytes);

    /// <summary>A slot goes.</summary>
    /// <param name="slot">The slot.</param>
    public void Remove(CacheSlot slot)
    {
        CacheShare share = slot.Share!;
        slot.Share = null;
        share.Order.Remove(slot.Node);
        Resize(share, -slot.Size - slotBytes);
        Drop(share);
    }

    /// <summary>Everything goes.</summary>
    public void Clear()
    {
        _ofSources.Clear();
        _bySize.Clear();
        _own = null;
    }

    private CacheShare? Find(CoapSource? source) => source is { } known ? _ofSources.GetValueOrDefault(known) : _own;

    private CacheShare Of(CoapSource? source)
    {
        CacheShare? share = Find(source);
        if (share is null)
        {
            share = new CacheShare(source, _made++);
            _bySize.Add(share);
            if (source is { } key)
            {
                _ofSources.Add(key, share);
            }
            else
            {
                _own = share;
            }
        }

        return share;
    }

    private void Put(CacheSlot slot, CacheShare share)
    {
        slot.Share = share;
        share.Order.AddFirst(slot.Node);
        Resize(share, slot.Size + slotBytes);
    }

    private void Resize(CacheShare share, long bytes)
    {
        _bySize.Remove(share);
        share.Bytes += bytes;
        _bySize.Add(share);
    }

    private void Drop(CacheShare share)
    {
        if (share.Order.Count > 0 || !_bySize.Remove(share))
        {
            return;
        }

        if (share.Source is { } source)
        {
            _ofSources.Remove(source);
        }
        else
        {
            _own = null;
        }
    }
}
