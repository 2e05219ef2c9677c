namespace CoAP.NET.Guarding;

/// <summary>Tracks the shares of a common resource by source (<see cref="CoapQuotaSource"/>). Not thread-safe.</summary>
/// <remarks>
/// It finds the source that holds most, and the holding of that source that has been idle for longest. When room is needed, that holding
/// is evicted, so small holders never pay for large ones. What always accepts something new, as a queue or a cache does, counts it first;
/// what may refuse it asks <see cref="FindToGiveWay"/>.
/// </remarks>
internal sealed class SourceUsage<T>
    where T : class
{
    private const int FirstSize = 16;

    private readonly Dictionary<CoapQuotaSource, Source> _sources = [];

    // A binary heap with the largest source on top. Of equal sources, the one that has held that much for longest comes first.
    private Source[] _heap = new Source[FirstSize];
    private int _count;
    private long _growths;

    public long Total { get; private set; }

    /// <summary>The number of sources that hold something.</summary>
    public int Count => _count;

    /// <summary>The source that holds most; null without holdings.</summary>
    public Source? Greediest => _count == 0 ? null : _heap[0];

    public long AmountOf(in CoapQuotaSource key) => Find(key)?.Amount ?? 0;

    /// <summary>
    /// Finds the source that loses one to another source, because it then still holds as much (<see cref="FairShare.AllowsEviction"/>);
    /// null for none.
    /// </summary>
    /// <param name="key">The other source, which asks for one.</param>
    public Source? FindToGiveWay(in CoapQuotaSource key) =>
        Greediest is { } most && FairShare.AllowsEviction(AmountOf(key) + 1, most.Amount - 1) ? most : null;

    /// <summary>Finds the account of a source; null when it holds nothing.</summary>
    public Source? Find(in CoapQuotaSource key) => _sources.GetValueOrDefault(key);

    /// <summary>Sets the size of a holding. A holding that was empty goes to the end of the list of its source.</summary>
    public void Set(UsageEntry holding, long amount)
    {
        long change = amount - holding.Amount;
        if (change == 0)
        {
            return;
        }

        Source source = holding.Source ?? Enter(holding);
        holding.Amount = amount;
        source.Amount += change;
        Total += change;
        if (change > 0)
        {
            source.GrownAt = ++_growths;
        }

        if (amount == 0)
        {
            source.Remove(holding);
            holding.Source = null;
        }

        if (source.First is null)
        {
            Leave(source);
        }
        else
        {
            Settle(source, source.Index);
        }
    }

    /// <summary>Moves a source behind all sources of equal size.</summary>
    public void Pass(Source source)
    {
        source.GrownAt = ++_growths;
        Settle(source, source.Index);
    }

    /// <summary>Records progress of a holding: it goes to the end of the list of its source.</summary>
    public static void Touch(UsageEntry holding)
    {
        if (holding.Source is { } source && holding.Links.Next is not null)
        {
            source.Remove(holding);
            source.Append(holding);
        }
    }

    private Source Enter(UsageEntry holding)
    {
        if (!_sources.TryGetValue(holding.Key, out Source? source))
        {
            source = new Source(holding.Key) { Index = _count };
            _sources.Add(holding.Key, source);
            if (_count == _heap.Length)
            {
                Array.Resize(ref _heap, 2 * _count);
            }

            _heap[_count++] = source;
        }

        holding.Source = source;
        source.Append(holding);
        return source;
    }

    private void Leave(Source source)
    {
        _sources.Remove(source.Key);
        Source last = _heap[--_count];
        _heap[_count] = null!;
        if (last != source)
        {
            Settle(last, source.Index);
        }
    }

    // Moves a source to its place in the heap, starting at a free place.
    private void Settle(Source source, int at)
    {
        while (at > 0 && IsBefore(source, _heap[(at - 1) / 2]))
        {
            Put(_heap[(at - 1) / 2], at);
            at = (at - 1) / 2;
        }

        for (int child = (2 * at) + 1; child < _count; child = (2 * at) + 1)
        {
            child += child + 1 < _count && IsBefore(_heap[child + 1], _heap[child]) ? 1 : 0;
            if (!IsBefore(_heap[child], source))
            {
                break;
            }

            Put(_heap[child], at);
            at = child;
        }

        Put(source, at);
    }

    private void Put(Source source, int at)
    {
        _heap[at] = source;
        source.Index = at;
    }

    private static bool IsBefore(Source one, Source other) =>
        one.Amount > other.Amount || (one.Amount == other.Amount && one.GrownAt < other.GrownAt);

    public sealed class Source(in CoapQuotaSource key)
    {
        private IntrusiveList<UsageEntry, LinkAccessor> _holdings;

        public CoapQuotaSource Key { get; } = key;

        public long Amount { get; set; }

        public int Count => _holdings.Count;

        /// <summary>The holding that has been idle for longest.</summary>
        public UsageEntry? First => _holdings.First;

        /// <summary>The index in the heap.</summary>
        public int Index { get; set; }

        /// <summary>The growth counter at the last growth.</summary>
        public long GrownAt { get; set; }

        public void Append(UsageEntry holding) => _holdings.Append(holding);

        public void Remove(UsageEntry holding) => _holdings.Remove(holding);
    }

    public sealed class UsageEntry(T owner, in CoapQuotaSource key)
    {
        public T Owner { get; } = owner;

        public CoapQuotaSource Key { get; } = key;

        public long Amount { get; set; }

        /// <summary>The source account; null while the holding is empty.</summary>
        public Source? Source { get; set; }

        public ListLinks<UsageEntry> Links;

        /// <summary>Whether the holding was evicted or its owner ended. It no longer counts.</summary>
        public bool IsOver { get; set; }

        /// <summary>The owner's progress at the last check; the user of the ledger defines the meaning.</summary>
        public long Mark { get; set; }
    }

    private readonly struct LinkAccessor : IListLinksAccessor<UsageEntry>
    {
        public static ref ListLinks<UsageEntry> Of(UsageEntry item) => ref item.Links;
    }
}
