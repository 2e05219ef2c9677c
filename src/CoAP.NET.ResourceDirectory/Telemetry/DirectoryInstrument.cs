namespace CoAP.NET.ResourceDirectory;

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
        new("coap.directory.endpoints", true, "{endpoint}", "Endpoints that can be found."),
        new("coap.directory.held", true, "{registration}", "Registrations, with those whose lifetime is over and that can be refreshed."),
        new("coap.directory.bytes", true, "By", "What they take, with their places in the index."),
        new("coap.directory.watched", true, "{lookup}", "Different look-ups that are observed."),
        new("coap.directory.fetches", true, "{fetch}", "Links of endpoints that are being fetched."),
        new("coap.directory.requests", false, "{request}", "Requests that were carried out.", "coap.directory.request",
            "register", "simple", "update", "remove", "look_up"),
        new("coap.directory.refusals", false, "{request}", "Requests that were refused: for what they asked or who asked, for lack of room "
            + "in all, for the share of their source, as too much was being fetched, as too much was observed (these were answered "
            + "plainly), those that were to come again with an Echo, those that nobody could decide about or keep, and look-ups "
            + "as too many went through very many registrations.",
            "coap.directory.reason", "request", "full", "share", "fetches", "watches", "challenge", "unavailable", "scans"),
        new("coap.directory.displaced", false, "{registration}", "Registrations that made room for others: those whose lifetime was over, "
            + "and those of the source that had most.", "coap.directory.cause", "ended", "greediest"),
        new("coap.directory.scans", false, "{lookup}", "Look-ups that went through very many registrations."),
        new("coap.directory.notices", false, "{lookup}", "Observed look-ups whose result changed."),
        new("coap.directory.watches_displaced", false, "{lookup}", "Observed look-ups of the source that had most, which made room."),
    ];

    /// <summary>Reads the current values of the rows.</summary>
    /// <param name="counters">The counters of a directory.</param>
    public long[] Read(CoapDirectoryCounters counters) => Name switch
    {
        "coap.directory.endpoints" => [counters.Endpoints],
        "coap.directory.held" => [counters.Held],
        "coap.directory.bytes" => [counters.Bytes],
        "coap.directory.watched" => [counters.Watched],
        "coap.directory.fetches" => [counters.Fetches],
        "coap.directory.requests" =>
            [counters.Registrations, counters.SimpleRegistrations, counters.Updates, counters.Removals, counters.LookUps],
        "coap.directory.refusals" =>
        [
            counters.Refusals, counters.Full, counters.ShareUsedUp, counters.FetchesRefused, counters.WatchesRefused, counters.Challenges,
            counters.Unavailable, counters.ScansRefused,
        ],
        "coap.directory.displaced" => [counters.Forgotten, counters.GaveWay],
        "coap.directory.scans" => [counters.Scans],
        "coap.directory.notices" => [counters.Notices],
        _ => [counters.WatchesGaveWay],
    };
}
