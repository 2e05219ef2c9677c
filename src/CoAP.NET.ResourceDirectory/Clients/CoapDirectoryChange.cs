namespace CoAP.NET.ResourceDirectory;

/// <summary>A change in the results of a watched lookup.</summary>
/// <typeparam name="T">A <see cref="CoapLink"/> or a <see cref="CoapDirectoryEndpoint"/>.</typeparam>
/// <param name="Kind">The kind of change.</param>
/// <param name="Item">The current result; for a removed one, its last state.</param>
public sealed record CoapDirectoryChange<T>(CoapDirectoryChangeKind Kind, T Item);
