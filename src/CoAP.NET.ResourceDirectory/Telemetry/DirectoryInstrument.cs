namespace CoAP.NET.ResourceDirectory.Telemetry;

/// <summary>An instrument of the meter.</summary>
/// <param name="Name">Its name.</param>
/// <param name="IsGauge">Whether it is a gauge.</param>
/// <param name="Unit">The unit.</param>
/// <param name="Description">Its human-readable description.</param>
/// <param name="Tag">The tag that distinguishes its rows; null for one row.</param>
/// <param name="Values">The values of the tag, in the order of the rows.</param>
internal sealed record DirectoryInstrument(
    string Name, bool IsGauge, string Unit, string Description, string? Tag = null, params string[] Values)
{
    /// <summary>All instruments, in the order of the documentation.</summary>
    public static IReadOnlyList<DirectoryInstrument> All { get; } =
    [
        new("coap.directory.endpoints", true, "{endpoint}", "Visible endpoints."),
        new("coap.directory.held", true, "{registration}", "Registrations, including expired ones that can still be refreshed."),
        new("coap.directory.bytes", true, "By", "The bytes of the registrations with their index entries."),
        new("coap.directory.watched", true, "{lookup}", "Different observed lookups."),
        new("coap.directory.fetches", true, "{fetch}", "Pending fetches of links from endpoints."),
        new("coap.directory.requests", false, "{request}", "Executed requests.", "coap.directory.request",
            "register", "simple", "update", "remove", "look_up"),
        new("coap.directory.refusals", false, "{request}", "Refused requests: because of their content or client, lack of room in total, "
            + "the share of their source, too many fetches, too many observed lookups (answered without an observation), a required "
            + "Echo, no node or store that could decide or keep the registration, and too many lookups that scan very many "
            + "registrations.",
            "coap.directory.reason", "request", "full", "share", "fetches", "watches", "challenge", "unavailable", "scans"),
        new("coap.directory.displaced", false, "{registration}", "Registrations removed to make room: expired ones, and those of the "
            + "source with the most.", "coap.directory.cause", "ended", "greediest"),
        new("coap.directory.scans", false, "{lookup}", "Lookups that scanned very many registrations."),
        new("coap.directory.notices", false, "{lookup}", "Observed lookups with a changed result."),
        new("coap.directory.watches_displaced", false, "{lookup}", "Observed lookups of the source with the most, removed to make room."),
    ];

    public long[] Read(CoapDirectoryCounters counters) => Name switch
    {
        "coap.directory.endpoints" => [counters.Endpoints],
        "coap.directory.held" => [counters.StoredRegistrations],
        "coap.directory.bytes" => [counters.Bytes],
        "coap.directory.watched" => [counters.Watched],
        "coap.directory.fetches" => [counters.Fetches],
        "coap.directory.requests" =>
            [counters.Registrations, counters.SimpleRegistrations, counters.Updates, counters.Removals, counters.Lookups],
        "coap.directory.refusals" =>
        [
            counters.Refusals, counters.Full, counters.SourceQuotaUsedUp, counters.FetchesRefused, counters.WatchesRefused,
            counters.Challenges,
            counters.Unavailable, counters.ScansRefused,
        ],
        "coap.directory.displaced" => [counters.Forgotten, counters.Evicted],
        "coap.directory.scans" => [counters.Scans],
        "coap.directory.notices" => [counters.Notices],
        _ => [counters.ObservedLookupsEvicted],
    };
}
