using CoAP.NET.Diagnostics;

namespace CoAP.NET.Oscore.Telemetry;

/// <summary>
/// Counts messages with the contexts of <see cref="OscoreContexts"/>, over all endpoints that use them; see
/// <see cref="OscoreContexts.GetCounters"/>.
/// </summary>
/// <remarks>The metrics <c>coap.oscore.*</c> have the same values per endpoint.</remarks>
internal sealed record OscoreCounters
{
    /// <summary>Protected messages handed on for sending, without retransmissions.</summary>
    public long MessagesProtected { get; init; }

    public long MessagesVerified { get; init; }

    /// <summary>Requests whose OSCORE option or payload is malformed (4.02).</summary>
    public long RequestsMalformed { get; init; }

    /// <summary>Requests with a <c>kid</c> and <c>kid context</c> that no context has (4.01).</summary>
    public long UnknownContexts { get; init; }

    /// <summary>Requests whose number was received before, or is too old to tell (4.01).</summary>
    public long Replays { get; init; }

    /// <summary>Requests that fail verification: forged, changed on the way, or protected with another key (4.00).</summary>
    public long DecryptionFailures { get; init; }

    /// <summary>
    /// Requests that got a challenge to return with an Echo, because the replay window was lost (4.01, RFC 8613 appendix B.1.2).
    /// </summary>
    public long Challenges { get; init; }

    /// <summary>Responses that fail verification; the request keeps waiting.</summary>
    public long ResponsesForged { get; init; }

    /// <summary>Responses and notifications received before.</summary>
    public long ResponsesRepeated { get; init; }

    /// <summary>Unprotected, and therefore unauthenticated, responses to protected requests.</summary>
    public long ResponsesUnprotected { get; init; }

    public long ContextsFound { get; init; }

    /// <summary>IDs for which the resolver has no context.</summary>
    public long ContextsNotFound { get; init; }

    /// <summary>Calls of the resolver that failed, took too long, or returned a context with another ID.</summary>
    public long LookupsFailed { get; init; }

    /// <summary>Requests with an unknown ID that caused no call of the resolver, because too many calls were pending.</summary>
    public long LookupsRefused { get; init; }

    /// <summary>Reservations of sequence numbers that the store confirmed.</summary>
    public long Reservations { get; init; }

    public long NumbersReserved { get; init; }

    /// <summary>Reservations that the store did not confirm. The endpoint does not send messages that need one of these numbers.</summary>
    public long ReservationsFailed { get; init; }

    internal static OscoreCounters Of(EventCounter<OscoreMetric> counts) => new()
    {
        MessagesProtected = counts[OscoreMetric.Protected],
        MessagesVerified = counts[OscoreMetric.Verified],
        RequestsMalformed = counts[OscoreMetric.Malformed],
        UnknownContexts = counts[OscoreMetric.UnknownContext],
        Replays = counts[OscoreMetric.Replay],
        DecryptionFailures = counts[OscoreMetric.DecryptionFailed],
        Challenges = counts[OscoreMetric.Challenged],
        ResponsesForged = counts[OscoreMetric.ResponseForged],
        ResponsesRepeated = counts[OscoreMetric.ResponseRepeated],
        ResponsesUnprotected = counts[OscoreMetric.ResponseUnprotected],
        ContextsFound = counts[OscoreMetric.ContextFound],
        ContextsNotFound = counts[OscoreMetric.ContextNotFound],
        LookupsFailed = counts[OscoreMetric.LookupFailed],
        LookupsRefused = counts[OscoreMetric.LookupRefused],
        Reservations = counts[OscoreMetric.Reserved],
        NumbersReserved = counts[OscoreMetric.NumbersReserved],
        ReservationsFailed = counts[OscoreMetric.ReservationFailed],
    };
}
