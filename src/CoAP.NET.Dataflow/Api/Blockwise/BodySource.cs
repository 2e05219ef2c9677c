namespace CoAP.NET.Blockwise;

/// <summary>
/// The account of one part of a <see cref="BodyBudget"/>: one source, all newcomers together, or all returning unverified peers.
/// Thread-safe.
/// </summary>
/// <param name="key">The source, with one account in the budget; null for others.</param>
internal sealed class BodySource(CoapSource? key)
{
    // For how long after a refusal those that hold room have to show progress.
    private static readonly long s_shortFor = TimeSpan.FromMinutes(1).Ticks;

    private long _bytes;
    private long _refusedAt = long.MinValue;

    public CoapSource? Key => key;

    /// <summary>How many bytes its bodies take; what is shared with others counts in full.</summary>
    public long Bytes => Volatile.Read(ref _bytes);

    /// <summary>How many peers belong to it. Guarded by the budget.</summary>
    public int Peers { get; set; }

    public long Add(long bytes) => Interlocked.Add(ref _bytes, bytes);

    /// <summary>Records a refusal: for a while, its bodies without progress have to give way, and no others.</summary>
    public void NoteRefusal(long now) => Volatile.Write(ref _refusedAt, now);

    /// <summary>Whether one of it was refused lately.</summary>
    public bool IsShort(long now) => Volatile.Read(ref _refusedAt) is var at && at != long.MinValue && now - at < s_shortFor;
}
