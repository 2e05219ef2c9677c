namespace CoAP.NET;

/// <summary>A pending message of this endpoint to a peer, in a <see cref="CoapSnapshot"/>.</summary>
/// <param name="State">What it waits for.</param>
/// <param name="Code">Its code: a method for a request, 2.05 for a notification or a separate response.</param>
/// <param name="Token">Its token.</param>
/// <param name="MessageId">Its Message ID; null if it has none yet, and on connections.</param>
/// <param name="Attempts">The number of transmissions so far.</param>
/// <param name="NextAttempt">The time until the next copy, or until it is given up; null if none is due.</param>
public sealed record CoapPendingSnapshot(CoapPendingState State, CoapCode Code, CoapToken Token, int? MessageId, int Attempts,
    TimeSpan? NextAttempt);
