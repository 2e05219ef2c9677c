namespace CoAP.NET.Oscore;

/// <summary>
/// What happened to messages with the contexts of <see cref="OscoreContexts"/> so far, in all endpoints that use them; see
/// <see cref="OscoreContexts.GetCounters"/>. The metrics <c>coap.oscore.*</c> tell the same for each endpoint.
/// </summary>
public sealed record OscoreCounters
{
    /// <summary>Messages that were protected and handed on to be sent, without copies.</summary>
    public long MessagesProtected { get; init; }

    /// <summary>Messages that were verified and are new.</summary>
    public long MessagesVerified { get; init; }

    /// <summary>Requests whose OSCORE option or payload cannot be decoded (4.02).</summary>
    public long RequestsMalformed { get; init; }

    /// <summary>Requests with a <c>kid</c> and <c>kid context</c> that no context has (4.01).</summary>
    public long UnknownContexts { get; init; }

    /// <summary>Requests whose number came before, or is too old to tell (4.01).</summary>
    public long Replays { get; init; }

    /// <summary>Requests that do not verify: forged, changed on the way, or made with another key (4.00).</summary>
    public long DecryptionFailures { get; init; }

    /// <summary>Requests that were asked to come again with an Echo, as the replay window was lost (4.01, RFC 8613 appendix B.1.2).
    /// </summary>
    public long Challenges { get; init; }

    /// <summary>Responses that do not verify; the request goes on waiting.</summary>
    public long ResponsesForged { get; init; }

    /// <summary>Responses and notifications that came before.</summary>
    public long ResponsesRepeated { get; init; }

    /// <summary>Responses to protected requests that are not protected, which anybody can have sent.</summary>
    public long ResponsesUnprotected { get; init; }

    /// <summary>Contexts that the resolver found.</summary>
    public long ContextsFound { get; init; }

    /// <summary>IDs for which the resolver has no context.</summary>
    public long ContextsNotFound { get; init; }

    /// <summary>Calls of the resolver that failed, took too long, or gave a context with another ID.</summary>
    public long LookupsFailed { get; init; }

    /// <summary>Requests with an unknown ID for which the resolver was not asked, as too many calls were under way.</summary>
    public long LookupsRefused { get; init; }

    /// <summary>Reservations of sequence numbers that the store confirmed.</summary>
    public long Reservations { get; init; }

    /// <summary>The sequence numbers of these reservations.</summary>
    public long NumbersReserved { get; init; }

    /// <summary>Reservations that the store did not confirm. Messages that need one of these numbers are not sent.</summary>
    public long ReservationsFailed { get; init; }

    internal static OscoreCounters Of(OscoreCounts counts) => new()
    {
        MessagesProtected = counts[OscoreEvent.Protected],
        MessagesVerified = counts[OscoreEvent.Verified],
        RequestsMalformed = counts[OscoreEvent.Malformed],
        UnknownContexts = counts[OscoreEvent.UnknownContext],
        Replays = counts[OscoreEvent.Replay],
        DecryptionFailures = counts[OscoreEvent.DecryptionFailed],
        Challenges = counts[OscoreEvent.Challenged],
        ResponsesForged = counts[OscoreEvent.ResponseForged],
        ResponsesRepeated = counts[OscoreEvent.ResponseRepeated],
        ResponsesUnprotected = counts[OscoreEvent.ResponseUnprotected],
        ContextsFound = counts[OscoreEvent.ContextFound],
        ContextsNotFound = counts[OscoreEvent.ContextNotFound],
        LookupsFailed = counts[OscoreEvent.LookupFailed],
        LookupsRefused = counts[OscoreEvent.LookupRefused],
        Reservations = counts[OscoreEvent.Reserved],
        NumbersReserved = counts[OscoreEvent.NumbersReserved],
        ReservationsFailed = counts[OscoreEvent.ReservationFailed],
    };
}
