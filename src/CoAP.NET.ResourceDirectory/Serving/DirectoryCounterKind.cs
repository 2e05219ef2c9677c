namespace CoAP.NET.ResourceDirectory.Serving;

/// <summary>The counted events of a resource directory.</summary>
internal enum DirectoryCounterKind
{
    Registrations,
    SimpleRegistrations,
    Updates,
    Removals,
    Lookups,
    LookupsRefused,
    Refusals,
    Full,
    SourceQuotaUsedUp,
    Challenges,
    Forgotten,
    Evicted,
    Notices,
    WatchesRefused,
    ObservedLookupsEvicted,
    FetchesRefused,
    Unavailable,
    Scans,
    ScansRefused,
}
