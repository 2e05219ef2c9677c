namespace CoAP.NET.Oscore;

/// <summary>A metric of OSCORE.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Unit">The unit in UCUM.</param>
/// <param name="Description">A readable description.</param>
/// <param name="Tag">The tag that distinguishes the rows; null for a single row.</param>
/// <param name="Rows">The event per value of the tag.</param>
internal sealed record OscoreInstrument(
    string Name, string Unit, string Description, string? Tag, params (OscoreEvent Kind, string? Value)[] Rows)
{
    /// <summary>All metrics, in the order of the documentation.</summary>
    public static IReadOnlyList<OscoreInstrument> All { get; } =
    [
        new("coap.oscore.messages", "{message}", "Messages that were verified, and messages that were protected.", "network.io.direction",
            (OscoreEvent.Verified, "receive"), (OscoreEvent.Protected, "transmit")),
        new("coap.oscore.refusals", "{request}", "Protected requests that were refused, by reason (RFC 8613 section 8.2).",
            "coap.oscore.refusal", (OscoreEvent.Malformed, "malformed"), (OscoreEvent.UnknownContext, "unknown_context"),
            (OscoreEvent.Replay, "replay"), (OscoreEvent.DecryptionFailed, "decryption")),
        new("coap.oscore.challenges", "{request}",
            "Requests that were asked to come again with an Echo, as the replay window was lost (RFC 8613 appendix B.1.2).", null,
            (OscoreEvent.Challenged, null)),
        new("coap.oscore.responses_dropped", "{response}", "Responses to protected requests that are none, by reason.",
            "coap.oscore.drop", (OscoreEvent.ResponseForged, "forged"), (OscoreEvent.ResponseRepeated, "repeated"),
            (OscoreEvent.ResponseUnprotected, "unprotected")),
        new("coap.oscore.lookups", "{lookup}", "IDs for which no context was known, by what the resolver had for them.",
            "coap.oscore.lookup", (OscoreEvent.ContextFound, "found"), (OscoreEvent.ContextNotFound, "not_found"),
            (OscoreEvent.LookupFailed, "failed"), (OscoreEvent.LookupRefused, "refused")),
        new("coap.oscore.reservations", "{reservation}", "Reservations of sequence numbers, by whether the store confirmed them.",
            "coap.oscore.reservation", (OscoreEvent.Reserved, "confirmed"), (OscoreEvent.ReservationFailed, "failed")),
        new("coap.oscore.numbers_reserved", "{number}", "Sequence numbers that the store confirmed.", null,
            (OscoreEvent.NumbersReserved, null)),
    ];
}
