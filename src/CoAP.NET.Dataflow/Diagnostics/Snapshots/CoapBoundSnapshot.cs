namespace CoAP.NET;

/// <summary>The usage of a limit of an endpoint, in a <see cref="CoapSnapshot"/>.</summary>
/// <param name="Name">The limit: its property of <see cref="CoapLimits"/>.</param>
/// <param name="Used">The current usage: bytes if <paramref name="IsBytes"/> is true, otherwise a count.</param>
/// <param name="Limit">The maximum, in the same unit.</param>
/// <param name="IsBytes">Whether it limits memory in bytes.</param>
public sealed record CoapBoundSnapshot(string Name, long Used, long Limit, bool IsBytes);
