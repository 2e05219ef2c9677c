namespace CoAP.NET;

/// <summary>How much of a bound of an endpoint is taken, in a <see cref="CoapSnapshot"/>.</summary>
/// <param name="Name">The bound: the property of <see cref="CoapLimits"/> that sets it.</param>
/// <param name="Used">How much is taken: bytes where <paramref name="IsBytes"/> says so, otherwise a number of things.</param>
/// <param name="Limit">The most that may be taken, in the same unit.</param>
/// <param name="IsBytes">Whether it bounds memory in bytes.</param>
public sealed record CoapBoundSnapshot(string Name, long Used, long Limit, bool IsBytes);
