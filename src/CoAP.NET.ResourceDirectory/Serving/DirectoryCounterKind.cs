namespace CoAP.NET.ResourceDirectory.Serving;

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
