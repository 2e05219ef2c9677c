namespace CoAP.NET.ResourceDirectory.Serving;

internal enum DirectoryCounterKind
{
    Registrations,
    SimpleRegistrations,
    Updates,
    Removals,
    LookUps,
    LookUpsRefused,
    Refusals,
    Full,
    SourceQuotaUsedUp,
    Challenges,
    Forgotten,
    Evicted,
    Notices,
    WatchesRefused,
    ObservedLookUpsEvicted,
    FetchesRefused,
    Unavailable,
    Scans,
    ScansRefused,
}
