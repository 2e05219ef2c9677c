namespace CoAP.NET;

/// <summary>The counters of an endpoint since it was made. Safe for several threads.</summary>
public sealed class CoapCounters
{
    private const int Stride = 16; // a cache line of counters lies between the cells of two threads
    private const int MaxCells = 64;

    // Each thread adds to a cell of its own without an interlocked operation; threads beyond the bound share the last one.
    [ThreadStatic]
    private static Cell? t_cell;

    /// <summary>How many counters there are. Their values are 0 to one less.</summary>
    internal static int Kinds { get; } = Enum.GetValues<CoapCounter>().Length;

    private readonly Lock _gate = new();
    private readonly Cell _shared;
    private Cell[] _cells;

    /// <summary>Makes counters that are all zero.</summary>
    public CoapCounters()
    {
        _shared = new Cell(this);
        _cells = [_shared];
    }

    /// <summary>The value of a counter.</summary>
    /// <param name="counter">Which.</param>
    public long this[CoapCounter counter]
    {
        get
        {
            long sum = 0;
            foreach (Cell cell in Volatile.Read(ref _cells))
            {
                sum += Volatile.Read(ref cell.Values[(int)counter]);
            }

            return sum;
        }
    }

    /// <summary>Counts.</summary>
    /// <param name="counter">Which.</param>
    /// <param name="by">How many.</param>
    public void Add(CoapCounter counter, long by = 1)
    {
        Cell? cell = t_cell;
        if (cell is not null && ReferenceEquals(cell.Owner, this))
        {
            ref long value = ref cell.Values[(int)counter];
            Volatile.Write(ref value, value + by);
            return;
        }

        AddElsewhere(counter, by);
    }

    /// <summary>Counts one of something and how much it was, which is always counted together: one look for the thread's cell.</summary>
    /// <param name="counter">Grows by one.</param>
    /// <param name="amounts">Grows by <paramref name="amount"/>.</param>
    /// <param name="amount">How much.</param>
    internal void AddWithAmount(CoapCounter counter, CoapCounter amounts, long amount)
    {
        Cell? cell = t_cell;
        if (cell is not null && ReferenceEquals(cell.Owner, this))
        {
            long[] values = cell.Values;
            Volatile.Write(ref values[(int)counter], values[(int)counter] + 1);
            Volatile.Write(ref values[(int)amounts], values[(int)amounts] + amount);
            return;
        }

        AddElsewhere(counter, 1);
        AddElsewhere(amounts, amount);
    }

    /// <summary>All counters that are not zero, for people.</summary>
    /// <returns>The text.</returns>
    public override string ToString() =>
        string.Join(", ",
            Enum.GetValues<CoapCounter>().Where(counter => this[counter] != 0).Select(counter => $"{counter} {this[counter]}"));

    // A thread that works for two endpoints in turn counts for the second one in the shared cell.
    private void AddElsewhere(CoapCounter counter, long by)
    {
        if (t_cell is null)
        {
            lock (_gate)
            {
                if (_cells.Length < MaxCells)
                {
                    t_cell = new Cell(this);
                    _cells = [.. _cells, t_cell];
                }
            }

            if (t_cell is not null)
            {
                Add(counter, by);
                return;
            }
        }

        Interlocked.Add(ref _shared.Values[(int)counter], by);
    }

    private sealed class Cell(CoapCounters owner)
    {
        public CoapCounters Owner { get; } = owner;

        public long[] Values { get; } = new long[Kinds + Stride];
    }
}
