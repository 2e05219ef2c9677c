namespace CoAP.NET.ResourceDirectory;

/// <summary>The counters of a directory.</summary>
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
