namespace CoAP.NET.ResourceDirectory;

/// <summary>Counters of a directory since its start, and its current size; see <see cref="CoapDirectoryServer.GetCounters"/>.</summary>
internal sealed record CoapDirectoryCounters
{
    /// <summary>The current number of visible endpoints.</summary>
    public int Endpoints { get; init; }

    /// <summary>The current number of registrations, including expired ones that can still be refreshed.</summary>
    public int StoredRegistrations { get; init; }

    /// <summary>The bytes of these registrations with their index entries.</summary>
    public long Bytes { get; init; }

    public int Sources { get; init; }

    /// <summary>The current number of different observed lookups.</summary>
    public int Watched { get; init; }

    /// <summary>Accepted registrations, new ones and replacements.</summary>
    public long Registrations { get; init; }

    /// <summary>Accepted simple registrations (RFC 9176 section 5.1).</summary>
    public long SimpleRegistrations { get; init; }

    public long Updates { get; init; }

    /// <summary>Registrations removed by their registrants.</summary>
    public long Removals { get; init; }

    public long Lookups { get; init; }

    /// <summary>Lookups refused because they are malformed or would be too expensive.</summary>
    public long LookupsRefused { get; init; }

    /// <summary>
    /// Lookups that scanned more registrations than <see cref="CoapDirectoryLimits.MaxScanned"/>, or than the largest response has results
    /// (<see cref="CoapDirectoryLimits.MaxResults"/>), including refused ones.
    /// </summary>
    public long Scans { get; init; }

    /// <summary>Such lookups refused because too many were pending (5.03).</summary>
    public long ScansRefused { get; init; }

    /// <summary>Observed lookups whose observers were notified of a changed result.</summary>
    public long Notices { get; init; }

    /// <summary>Lookups answered without an observation for lack of room although the client asked for one.</summary>
    public long WatchesRefused { get; init; }

    /// <summary>
    /// Observed lookups evicted to make room. Each belonged to the source with the most and was evicted for a source with fewer. Their
    /// observers got 4.04.
    /// </summary>
    public long ObservedLookupsEvicted { get; init; }

    /// <summary>Requests refused because of their content or their client, including <see cref="LookupsRefused"/>.</summary>
    public long Refusals { get; init; }

    /// <summary>Requests challenged with an Echo (4.01).</summary>
    public long Challenges { get; init; }

    /// <summary>The current number of fetches of links from endpoints (RFC 9176 section 5.1).</summary>
    public int Fetches { get; init; }

    /// <summary>Simple registrations refused because too many fetches were pending (5.03).</summary>
    public long FetchesRefused { get; init; }

    /// <summary>Registrations refused because the directory was full (5.03).</summary>
    public long Full { get; init; }

    /// <summary>Registrations refused because their source had used up its share (4.03).</summary>
    public long SourceQuotaUsedUp { get; init; }

    /// <summary>
    /// Requests that got 5.03 because no node could decide about the registration or store it, or because loading had not finished.
    /// </summary>
    public long Unavailable { get; init; }

    /// <summary>Expired registrations that were forgotten to make room while they could still be refreshed.</summary>
    public long Forgotten { get; init; }

    /// <summary>
    /// Registrations evicted to make room. Each belonged to the source with the most and was evicted for a source with fewer.
    /// </summary>
    public long Evicted { get; init; }
}
