namespace CoAP.NET.Oscore.Telemetry;

/// <summary>A metric of OSCORE.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Unit">The unit in UCUM.</param>
/// <param name="Description">A readable description.</param>
/// <param name="Tag">The tag that distinguishes the rows; null for a single row.</param>
/// <param name="Rows">The event per value of the tag.</param>
internal sealed record OscoreInstrument(
    string Name, string Unit, string Description, string? Tag, params (OscoreMetric Kind, string? Value)[] Rows)
{
    /// <summary>All metrics, in the order of the documentation.</summary>
    public static IReadOnlyList<OscoreInstrument> All { get; } =
    [
        new("coap.oscore.messages", "{message}", "Messages that were verified, and messages that were protected.", "network.io.direction",
            (OscoreMetric.Verified, "receive"), (OscoreMetric.Protected, "transmit")),
        new("coap.oscore.refusals", "{request}", "Protected requests that were refused, by reason (RFC 8613 section 8.2).",
            "coap.oscore.refusal", (OscoreMetric.Malformed, "malformed"), (OscoreMetric.UnknownContext, "unknown_context"),
            (OscoreMetric.Replay, "replay"), (OscoreMetric.DecryptionFailed, "decryption")),
        new("coap.oscore.challenges", "{request}",
            "Requests that were asked to come again with an Echo, as the replay window was lost (RFC 8613 appendix B.1.2).", null,
            (OscoreMetric.Challenged, null)),
        new("coap.oscore.responses_dropped", "{response}", "Unprotected or invalid responses to protected requests, by reason.",
            "coap.oscore.drop", (OscoreMetric.ResponseForged, "forged"), (OscoreMetric.ResponseRepeated, "repeated"),
            (OscoreMetric.ResponseUnprotected, "unprotected")),
        new("coap.oscore.lookups", "{lookup}", "IDs for which no context was known, by what the resolver had for them.",
            "coap.oscore.lookup", (OscoreMetric.ContextFound, "found"), (OscoreMetric.ContextNotFound, "not_found"),
            (OscoreMetric.LookupFailed, "failed"), (OscoreMetric.LookupRefused, "refused")),
        new("coap.oscore.reservations", "{reservation}", "Reservations of sequence numbers, by whether the store confirmed them.",
            "coap.oscore.reservation", (OscoreMetric.Reserved, "confirmed"), (OscoreMetric.ReservationFailed, "failed")),
        new("coap.oscore.numbers_reserved", "{number}", "Sequence numbers that the store confirmed.", null,
            (OscoreMetric.NumbersReserved, null)),
    ];
}
