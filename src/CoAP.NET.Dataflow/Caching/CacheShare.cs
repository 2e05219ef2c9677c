namespace CoAP.NET.Caching;

/// <summary>What of a cache is stored for one source, or for the caller itself. Guarded by the lock of the cache.</summary>
/// <param name="source">The source; null for the caller itself.</param>
/// <param name="number">Tells shares of one size apart.</param>
internal sealed class CacheShare(CoapSource? source, long number)
{
    /// <summary>For whom it is stored; null for the caller itself.</summary>
    public CoapSource? Source => source;

    /// <summary>Tells shares of one size apart.</summary>
    public long Number => number;

    /// <summary>How many bytes it takes, as they are weighed.</summary>
    public long Bytes { get; set; }

    /// <summary>Most recently used first.</summary>
    public LinkedList<CacheSlot> Order { get; } = [];
}
