using CoAP.NET.Transports;

namespace CoAP.NET.Guarding;

/// <summary>
/// What addresses that were never verified may still get, in a table of fixed size. Each source (<see cref="CoapSource"/>)
/// shares four cells with others, chosen by a keyed hash, and the least used one counts. So nobody gets more than his share, whatever
/// addresses others send from; nothing is ever thrown out, cells come back with time; and a source is held back for others only if all its
/// four cells are. Not thread-safe.
/// </summary>
internal sealed class SourceBudgets
{
    private const int Rows = 4;
    private const int BitsOfRow = 16;
    private const int MinCells = 1024;
    private const int MaxCells = 1 << BitsOfRow;

    private readonly CoapAddressHash _hash;
    private readonly RateBound _bound;
    private readonly int _cells;
    private long[]? _until;

    /// <param name="random">For the key.</param>
    /// <param name="bytesPerMinute">The share of a source.</param>
    /// <param name="bytesPerSecond">What all sources together may draw; says how many cells there must be so that they never fill
    /// up.</param>
    public SourceBudgets(CoapRandomSource random, long bytesPerMinute, long bytesPerSecond)
    {
        _hash = new CoapAddressHash(random);
        _bound = new RateBound(bytesPerMinute, TimeSpan.FromMinutes(1));
        double busy = bytesPerMinute == 0 ? 0 : 60.0 * bytesPerSecond / bytesPerMinute;
        _cells = (int)System.Numerics.BitOperations.RoundUpToPowerOf2((uint)Math.Clamp(4 * busy, MinCells, MaxCells));
    }

    /// <summary>The memory that the table takes from the first draw on, in bytes.</summary>
    public int Bytes => Rows * _cells * sizeof(long);

    /// <summary>Draws on the share of a source.</summary>
    /// <param name="source">The source.</param>
    /// <param name="size">How many bytes.</param>
    /// <param name="now">Now, in units of 100 ns.</param>
    /// <returns>Whether there was enough; otherwise nothing was drawn.</returns>
    public bool TryDraw(in CoapSource source, int size, long now)
    {
        // Endpoints that only ask never need it.
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
