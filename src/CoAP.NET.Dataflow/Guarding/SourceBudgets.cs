namespace CoAP.NET.Guarding;

/// <summary>
/// The remaining budgets of unverified addresses, in a table of fixed size. Each source (<see cref="CoapQuotaSource"/>) shares four cells
/// with others, chosen by a keyed hash, and the least used one counts. No source gets more than its share, whatever addresses others use.
/// Nothing is ever evicted, because cells recover with time. A source suffers for others only if all its four cells are full. Not
/// thread-safe.
/// </summary>
internal sealed class SourceBudgets
{
    private const int Rows = 4;
    private const int BitsOfRow = 16;
    private const int MinCells = 1024;
    private const int MaxCells = 1 << BitsOfRow;

    private readonly CoapAddressHash _hash;
    private readonly ByteRateLimiter _bound;
    private readonly int _cells;
    private long[]? _until;

    /// <param name="random">The source of the key.</param>
    /// <param name="bytesPerMinute">The share of a source.</param>
    /// <param name="bytesPerSecond">The total of all sources; it determines the number of cells, so that they never fill up.</param>
    public SourceBudgets(CoapRandomSource random, long bytesPerMinute, long bytesPerSecond)
    {
        _hash = new CoapAddressHash(random);
        _bound = new ByteRateLimiter(bytesPerMinute, TimeSpan.FromMinutes(1));
        double busy = bytesPerMinute == 0 ? 0 : 60.0 * bytesPerSecond / bytesPerMinute;
        _cells = (int)System.Numerics.BitOperations.RoundUpToPowerOf2((uint)Math.Clamp(4 * busy, MinCells, MaxCells));
    }

    /// <summary>The memory of the table from the first draw on, in bytes.</summary>
    public int Bytes => Rows * _cells * sizeof(long);

    /// <summary>Draws on the share of a source.</summary>
    /// <param name="source">The source.</param>
    /// <param name="size">The number of bytes.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    /// <returns>Whether enough bytes were available; otherwise nothing was drawn.</returns>
    public bool TryDraw(in CoapQuotaSource source, int size, long now)
    {
        // Endpoints that only send requests never need it.
        _until ??= new long[Rows * _cells];
        ulong hash = source.HashBy(_hash);
        long least = long.MaxValue;
        for (int row = 0; row < Rows; row++)
        {
            least = Math.Min(least, _until[CellOf(row, hash)]);
        }

        if (!_bound.TryDraw(least, size, now, out long next))
        {
            return false;
        }

        for (int row = 0; row < Rows; row++)
        {
            ref long until = ref _until[CellOf(row, hash)];
            until = Math.Max(until, next);
        }

        return true;
    }

    private int CellOf(int row, ulong hash) => (row * _cells) + ((int)(hash >> (row * BitsOfRow)) & (_cells - 1));
}
