namespace CoAP.NET;

/// <summary>A change in the results of a look-up that is watched.</summary>
/// <typeparam name="T">A <see cref="CoapLink"/> or a <see cref="CoapDirectoryEndpoint"/>.</typeparam>
/// <param name="Kind">What happened.</param>
/// <param name="Item">The result as it is now; of one that went, as it was.</param>
public sealed record CoapDirectoryChange<T>(CoapDirectoryChangeKind Kind, T Item);
