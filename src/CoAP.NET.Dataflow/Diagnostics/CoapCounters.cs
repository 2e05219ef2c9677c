namespace CoAP.NET;

/// <summary>The counters of an endpoint since its creation, read-only for an application.</summary>
/// <remarks>
/// Thread-safe. The same numbers are the metrics of <see cref="CoapTelemetry.MeterName"/>; read them here without a listener, for example
/// in a test or while you look for a fault.
/// </remarks>
public sealed class CoapCounters
{
    private const int Stride = 16; // a cache line of counters lies between the cells of two threads
    private const int MaxCells = 64;

    // Each thread adds to its own cell without an interlocked operation; threads beyond the limit share the last one.
    [ThreadStatic]
    private static Cell? t_cell;

    /// <summary>The number of counters. Their values are 0 to one less.</summary>
    internal static int Kinds { get; } = Enum.GetValues<CoapCounter>().Length;

    private readonly Lock _gate = new();
    private readonly Cell _shared;
    private Cell[] _cells;

    internal CoapCounters()
    {
        _shared = new Cell(this);
        _cells = [_shared];
    }

    /// <summary>Gets the value of a counter by its name, such as <c>FormatErrors</c>.</summary>
    /// <param name="name">The name, as <see cref="ToString"/> prints it.</param>
    /// <exception cref="ArgumentException">No counter has the name.</exception>
    public long this[string name] => Enum.TryParse(name, out CoapCounter counter) && Enum.IsDefined(counter)
        ? this[counter]
        : throw new ArgumentException($"There is no counter '{name}'. ToString prints the names of the counters above zero.", nameof(name));

    internal long this[CoapCounter counter]
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

    internal void Add(CoapCounter counter, long by = 1)
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

    /// <summary>Adds one event and its amount, which are always counted together, with one lookup of the thread's cell.</summary>
    /// <param name="counter">The counter to increment.</param>
    /// <param name="amounts">The counter to increase by <paramref name="amount"/>.</param>
    /// <param name="amount">The amount.</param>
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

    /// <summary>Returns all counters that are not zero, human-readable.</summary>
    /// <returns>The text.</returns>
    public override string ToString() =>
        string.Join(", ",
            Enum.GetValues<CoapCounter>().Where(counter => this[counter] != 0).Select(counter => $"{counter} {this[counter]}"));

    // A thread that works for two endpoints in turn uses the shared cell for the second one.
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
