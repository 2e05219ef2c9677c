namespace CoAP.NET;

/// <summary>A message of ours to a peer that is not settled, in a <see cref="CoapSnapshot"/>.</summary>
/// <param name="State">What it waits for.</param>
/// <param name="Code">Its code: a method for a request, 2.05 for a notification or a separate response.</param>
/// <param name="Token">Its token.</param>
/// <param name="MessageId">Its Message ID; null when it has none yet, and on connections.</param>
/// <param name="Attempts">How many times it was sent so far.</param>
/// <param name="NextAttempt">The time until the next copy, or until it is given up; null when none is due.</param>
public sealed record CoapPendingSnapshot(CoapPendingState State, CoapCode Code, CoapToken Token, int? MessageId, int Attempts,
    TimeSpan? NextAttempt);
