namespace CoAP.NET.Simulation.Soak;

/// <summary>What became of each operation: what was begun must end, once, in one of the ways that are told apart.</summary>
internal sealed class SoakLedger
{
    /// <summary>Answered rightly.</summary>
    public const string Answered = "answered";

    /// <summary>Cancelled by the one who asked.</summary>
    public const string Cancelled = "cancelled";

    /// <summary>Given up as its client was closed.</summary>
    public const string Closed = "client closed";

    private const int Kept = 20;

    private readonly ConcurrentDictionary<(SoakKind Kind, string End), long> _ends = new();
    private readonly long[] _begun = new long[Enum.GetValues<SoakKind>().Length];
    private readonly ConcurrentDictionary<long, string> _open = new();
    private long _count;

    /// <summary>The first of those that ended in a way that nothing explains.</summary>
    public ConcurrentQueue<string> Wrong { get; } = new();

    /// <summary>How many of these.</summary>
    public long WrongCount { get; private set; }

    /// <summary>All that were begun.</summary>
    public long Begun => Interlocked.Read(ref _count);

    /// <summary>Those that have not ended.</summary>
    public int Open => _open.Count;

    /// <summary>The ends, with how often.</summary>
    public IReadOnlyDictionary<(SoakKind Kind, string End), long> Ends => _ends;

    /// <summary>Some of those that have not ended.</summary>
    public IEnumerable<string> OpenOnes => _open.Values.Take(Kept);

    public long BegunOf(SoakKind kind) => Interlocked.Read(ref _begun[(int)kind]);

    public long CountOf(string end) => _ends.Where(pair => pair.Key.End == end).Sum(pair => pair.Value);

    public long Begin(SoakKind kind, string client)
    {
        long id = Interlocked.Increment(ref _count);
        Interlocked.Increment(ref _begun[(int)kind]);
        _open[id] = $"{kind} {id} of {client}";
        return id;
    }

    public void End(long id, SoakKind kind, string end)
    {
        if (_open.TryRemove(id, out _))
        {
            _ends.AddOrUpdate((kind, end), 1, (_, count) => count + 1);
        }
        else
        {
            Note($"{kind} {id} ended twice, the second time: {end}");
        }
    }

    public void Note(string wrong)
    {
        lock (Wrong)
        {
            WrongCount++;
        }

        if (Wrong.Count < Kept)
        {
            Wrong.Enqueue(wrong);
        }
    }
}
