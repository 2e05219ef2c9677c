namespace CoAP.NET.ResourceDirectory;

/// <summary>What a directory counts.</summary>
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
    GaveWay,
    Notices,
    WatchesRefused,
    WatchesGaveWay,
    FetchesRefused,
    Unavailable,
    Scans,
    ScansRefused,
}
