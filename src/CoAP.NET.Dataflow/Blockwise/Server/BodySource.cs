namespace CoAP.NET.Blockwise;

/// <summary>
/// Who shares one part of a <see cref="BodyBudget"/>: one source, all newcomers together, or all that came back and were never verified.
/// Thread-safe.
/// </summary>
/// <param name="key">The source, of which there is one in the budget; null for others.</param>
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

    /// <summary>One of it was refused: for a while those of it that make no progress have to go, and nobody else.</summary>
    public void NoteRefusal(long now) => Volatile.Write(ref _refusedAt, now);

    /// <summary>Whether one of it was refused lately.</summary>
    public bool IsShort(long now) => Volatile.Read(ref _refusedAt) is var at && at != long.MinValue && now - at < s_shortFor;
}
