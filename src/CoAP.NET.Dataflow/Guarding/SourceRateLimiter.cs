namespace CoAP.NET.Guarding;

/// <summary>
/// A rate for each source (<see cref="CoapQuotaSource"/>) by its address, in a table of fixed size. Each source shares four cells with
/// others, chosen by a keyed hash, and the least used one counts. No source gets more than its rate, whatever addresses others use. Nothing
/// is ever evicted, because cells recover with time. A source suffers for others only if all its four cells are full. Not thread-safe.
/// </summary>
internal sealed class SourceRateLimiter
{
    private const int Rows = 4;
    private const int BitsOfRow = 16;
    private const int MinCells = 1024;
    private const int MaxCells = 1 << BitsOfRow;

    private readonly CoapAddressHash _hash;
    private readonly RateLimit _rate;
    private readonly int _cells;
    private long[]? _until;

    /// <param name="random">The source of the key.</param>
    /// <param name="rate">The rate of a source.</param>
    /// <param name="busy">The number of sources that can have used up their rate at a time, if a rate of all sources limits it.</param>
    public SourceRateLimiter(CoapRandomSource random, RateLimit rate, double busy = 0)
    {
        _hash = new CoapAddressHash(random);
        _rate = rate;
        _cells = (int)System.Numerics.BitOperations.RoundUpToPowerOf2((uint)Math.Clamp(4 * busy, MinCells, MaxCells));
    }

    /// <summary>The memory of the table from the first draw on, in bytes.</summary>
    public int Bytes => Rows * _cells * sizeof(long);

    /// <summary>Draws on the rate of a source.</summary>
    /// <param name="source">The source.</param>
    /// <param name="size">The amount.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    /// <returns>Whether enough was available; otherwise nothing was drawn.</returns>
    public bool TryDraw(in CoapQuotaSource source, int size, long now)
    {
        // Most endpoints never need it.
        _until ??= new long[Rows * _cells];
        ulong hash = source.HashBy(_hash);
        long least = long.MaxValue;
        for (int row = 0; row < Rows; row++)
        {
            least = Math.Min(least, _until[CellOf(row, hash)]);
        }

        if (!_rate.TryDraw(least, size, now, out long next))
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
