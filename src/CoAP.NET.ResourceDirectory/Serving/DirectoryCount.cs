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
    ShareUsedUp,
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
