namespace CoAP.NET;

/// <summary>What of a peer was dropped or refused last, in a <see cref="CoapSnapshot"/>.</summary>
/// <param name="Reason">Why: the counter that counted it.</param>
/// <param name="Time">When.</param>
/// <param name="Count">How many there were in all, of whatever reason.</param>
public sealed record CoapDropSnapshot(CoapCounter Reason, DateTimeOffset Time, int Count);
