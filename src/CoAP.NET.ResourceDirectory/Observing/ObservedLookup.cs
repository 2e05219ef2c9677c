using CoAP.NET.Guarding;
using CoAP.NET.ResourceDirectory.Lookups;

namespace CoAP.NET.ResourceDirectory.Observing;

/// <summary>A lookup with observers, and its last result.</summary>
internal sealed class ObservedLookup
{
    private const long Young = 10_000;

    private readonly long _madeAt;

    /// <summary>Creates an observed lookup.</summary>
    /// <param name="key">The key of the lookup.</param>
    /// <param name="lookup">The lookup.</param>
    /// <param name="source">The source of the first observer, whose share it takes.</param>
    /// <param name="isVerified">Whether the first observer has proven that it receives at its address.</param>
    /// <param name="madeAt">The creation time, in milliseconds of the index.</param>
    public ObservedLookup(string key, Lookup lookup, CoapQuotaSource source, bool isVerified, long madeAt)
    {
        (Key, Lookup, Source, IsVerified, _madeAt) = (key, lookup, source, isVerified, madeAt);
        UsageEntry = new SourceUsage<ObservedLookup>.UsageEntry(this, source);
    }

    public string Key { get; }

    public Lookup Lookup { get; }

    /// <summary>The source whose share it takes.</summary>
    public CoapQuotaSource Source { get; }

    /// <summary>Whether the first observer had proven that it receives at its address.</summary>
    public bool IsVerified { get; }

    public SourceUsage<ObservedLookup>.UsageEntry UsageEntry { get; }

    public bool IsDisplaced { get; set; }

    public CoapResourceObserverLimits ObserverLimits { get; } = new();

    /// <summary>The entity-tag of the last notification; null before the first response.</summary>
    public CoapETag? SentETag { get; set; }

    /// <summary>Whether its result may differ from the last notification.</summary>
    public bool IsDirty { get; set; }

    /// <summary>Whether its first response may still be on its way. Observers restored after a restart get none.</summary>
    /// <param name="now">The current time, in milliseconds of the index.</param>
    public bool IsYoung(long now) => now - _madeAt <= Young;

    /// <summary>Whether it has no observers and no pending ones.</summary>
    /// <param name="now">The current time, in milliseconds of the index.</param>
    public bool IsOver(long now) => ObserverLimits.Count == 0 && !IsYoung(now);
}
