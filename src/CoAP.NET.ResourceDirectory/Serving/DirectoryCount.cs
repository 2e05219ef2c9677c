namespace CoAP.NET.ResourceDirectory;

internal enum DirectoryCount
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
