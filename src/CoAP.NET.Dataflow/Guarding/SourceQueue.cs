using System.Runtime.InteropServices;

namespace CoAP.NET.Guarding;

/// <summary>
/// Items that wait, in the order of each key. When full, the source that holds most loses its oldest item. Thread-safe; runs nothing but
/// conditions under its lock.
/// </summary>
/// <param name="max">The maximum cost of all items.</param>
/// <param name="maxOfKey">The maximum number of items of a key; one more takes the place of the oldest.</param>
internal sealed class SourceQueue<TKey, T>(long max, int maxOfKey = int.MaxValue)
    where TKey : notnull
    where T : SourceQueue<TKey, T>.Item
{
    private readonly Lock _gate = new();
    private readonly SourceUsage<T> _bySource = new();
    private readonly Dictionary<TKey, IntrusiveList<T, KeyLinkAccessor>> _byKey = [];
    private IntrusiveList<T, AgeLinkAccessor> _byAge;

    public int Count
    {
        get
        {
            lock (_gate)
            {
                return _byAge.Count;
            }
        }
    }

    /// <summary>The keys with items.</summary>
    public IReadOnlyList<TKey> Keys
    {
        get
        {
            lock (_gate)
            {
                return [.. _byKey.Keys];
            }
        }
    }

    /// <summary>Adds an item.</summary>
    /// <returns>The items that made room for it; one that costs more than the maximum is not added.</returns>
    public IReadOnlyList<T> Add(T item)
    {
        if (item.Cost > max)
        {
            return [item];
        }

        List<T>? dropped = null;
        lock (_gate)
        {
            if (_byKey.TryGetValue(item.Key, out IntrusiveList<T, KeyLinkAccessor> ofKey) && ofKey.Count == maxOfKey)
            {
                Remove(ofKey.First!, ref dropped);
            }

            while (_bySource.Total + item.Cost > max)
            {
                // A source that would hold most with the new item makes room itself.
                SourceUsage<T>.Source greediest = _bySource.Greediest!;
                Remove((_bySource.Find(item.UsageEntry.Key) is { } own && own.Amount + item.Cost > greediest.Amount ? own : greediest)
                    .First!.Owner, ref dropped);
            }

            CollectionsMarshal.GetValueRefOrAddDefault(_byKey, item.Key, out _).Append(item);
            _byAge.Append(item);
            _bySource.Set(item.UsageEntry, item.Cost);
        }

        return dropped ?? (IReadOnlyList<T>)[];
    }

    /// <summary>Removes and returns the items of a key, in the order in which they came.</summary>
    /// <param name="key">The key.</param>
    /// <param name="isDue">Whether an item is due; null for all of them.</param>
    public IReadOnlyList<T> Take(TKey key, Func<T, bool>? isDue = null)
    {
        List<T>? taken = null;
        lock (_gate)
        {
            T? next = _byKey.TryGetValue(key, out IntrusiveList<T, KeyLinkAccessor> ofKey) ? ofKey.First : null;
            while (next is { } item)
            {
                next = item.InKey.Next;
                if (isDue?.Invoke(item) != false)
                {
                    Remove(item, ref taken);
                }
            }

            if (_byKey.Count == 0)
            {
                // The dictionary may have been very large.
                _byKey.TrimExcess();
            }
        }

        return taken ?? (IReadOnlyList<T>)[];
    }

    /// <summary>Removes and returns the oldest items, as long as a condition holds.</summary>
    public IReadOnlyList<T> TakeWhile(Func<T, bool> isDue)
    {
        List<T>? taken = null;
        lock (_gate)
        {
            while (_byAge.First is { } oldest && isDue(oldest))
            {
                Remove(oldest, ref taken);
            }
        }

        return taken ?? (IReadOnlyList<T>)[];
    }

    private void Remove(T item, ref List<T>? removed)
    {
        (removed ??= []).Add(item);
        ref IntrusiveList<T, KeyLinkAccessor> ofKey = ref CollectionsMarshal.GetValueRefOrNullRef(_byKey, item.Key);
        ofKey.Remove(item);
        if (ofKey.Count == 0)
        {
            _byKey.Remove(item.Key);
        }

        _byAge.Remove(item);
        _bySource.Set(item.UsageEntry, 0);
    }

    internal abstract class Item
    {
        /// <param name="key">The key that orders it.</param>
        /// <param name="source">The source that it counts for.</param>
        /// <param name="cost">Its part of the maximum.</param>
        protected Item(TKey key, in CoapQuotaSource source, long cost) =>
            (Key, Cost, UsageEntry) = (key, cost, new SourceUsage<T>.UsageEntry((T)this, source));

        public TKey Key { get; }

        public long Cost { get; }

        public SourceUsage<T>.UsageEntry UsageEntry { get; }

        /// <summary>The links in the list of its key.</summary>
        public ListLinks<T> InKey;

        /// <summary>The links in the list of all items.</summary>
        public ListLinks<T> InAge;
    }

    private readonly struct KeyLinkAccessor : IListLinksAccessor<T>
    {
        public static ref ListLinks<T> Of(T item) => ref item.InKey;
    }

    private readonly struct AgeLinkAccessor : IListLinksAccessor<T>
    {
        public static ref ListLinks<T> Of(T item) => ref item.InAge;
    }
}
