namespace CoAP.NET.Guarding;

/// <summary>
/// Who holds how much of something that all share, by source (<see cref="CoapSource"/>): which source holds most, and which of its holdings
/// stands still longest. Whoever needs room takes it there, so that those who hold little never pay for those who hold much. Not
/// thread-safe.
/// </summary>
internal sealed class SourceLedger<T>
    where T : class
{
    private const int FirstSize = 16;

    private readonly Dictionary<CoapSource, Source> _sources = [];

    // A binary heap: the source that holds most comes first; of several the one that has held as much for longest.
    private Source[] _heap = new Source[FirstSize];
    private int _count;
    private long _growths;

    /// <summary>How much all hold together.</summary>
    public long Total { get; private set; }

    /// <summary>How many sources hold something.</summary>
    public int Count => _count;

    /// <summary>The source that holds most; null when nobody holds anything.</summary>
    public Source? Greediest => _count == 0 ? null : _heap[0];

    /// <summary>What a source holds; null when it holds nothing.</summary>
    public Source? Find(in CoapSource key) => _sources.GetValueOrDefault(key);

    /// <summary>Says how much a holding is now; one that was nothing comes last in the order of its source.</summary>
    public void Set(Holding holding, long amount)
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

    /// <summary>Puts a source behind all that hold as much.</summary>
    public void Pass(Source source)
    {
        source.GrownAt = ++_growths;
        Settle(source, source.Index);
    }

    /// <summary>A holding has moved on: it comes last in the order of its source.</summary>
    public static void Touch(Holding holding)
    {
        if (holding.Source is { } source && holding.Links.Next is not null)
        {
            source.Remove(holding);
            source.Append(holding);
        }
    }

    private Source Enter(Holding holding)
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

    // Puts a source where it belongs, beginning at a place that is free for it.
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

    /// <summary>What one source holds.</summary>
    public sealed class Source(in CoapSource key)
    {
        private Chain<Holding, Place> _holdings;

        public CoapSource Key { get; } = key;

        public long Amount { get; set; }

        /// <summary>How many holdings it has.</summary>
        public int Count => _holdings.Count;

        /// <summary>The holding that stands still longest.</summary>
        public Holding? First => _holdings.First;

        /// <summary>The place in the heap.</summary>
        public int Index { get; set; }

        /// <summary>When it last became more, by the count of growths.</summary>
        public long GrownAt { get; set; }

        public void Append(Holding holding) => _holdings.Append(holding);

        public void Remove(Holding holding) => _holdings.Remove(holding);
    }

    /// <summary>What one owner holds.</summary>
    public sealed class Holding(T owner, in CoapSource key)
    {
        public T Owner { get; } = owner;

        /// <summary>Of whom the owner is.</summary>
        public CoapSource Key { get; } = key;

        public long Amount { get; set; }

        /// <summary>Its source while it holds anything.</summary>
        public Source? Source { get; set; }

        /// <summary>Its neighbours among the holdings of its source.</summary>
        public ChainLinks<Holding> Links;

        /// <summary>Whether it had to give way, or its owner is gone: nothing is counted for it any more.</summary>
        public bool IsOver { get; set; }

        /// <summary>How far the owner was when he was last seen to move; its meaning is that of whoever keeps the ledger.</summary>
        public long Mark { get; set; }
    }

    private readonly struct Place : IChainPlace<Holding>
    {
        public static ref ChainLinks<Holding> Of(Holding item) => ref item.Links;
    }
}
