namespace CoAP.NET;

/// <summary>The last drop or refusal of a peer, in a <see cref="CoapSnapshot"/>.</summary>
/// <param name="Reason">The reason: the counter of the event.</param>
/// <param name="Time">The time of the event.</param>
/// <param name="Count">The number of all drops and refusals, for any reason.</param>
public sealed record CoapDropSnapshot(CoapCounter Reason, DateTimeOffset Time, int Count);
