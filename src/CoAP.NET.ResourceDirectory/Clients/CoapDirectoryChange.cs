namespace CoAP.NET.ResourceDirectory;

/// <summary>A change in the results of a watched lookup.</summary>
/// <typeparam name="T">A <see cref="CoapLink"/> or a <see cref="CoapDirectoryEndpoint"/>.</typeparam>
public sealed class CoapDirectoryChange<T>
{
    internal CoapDirectoryChange(CoapDirectoryChangeKind kind, T item) => (Kind, Item) = (kind, item);

    /// <summary>The kind of change.</summary>
    public CoapDirectoryChangeKind Kind { get; }

    /// <summary>The current result; for a removed one, its last state.</summary>
    public T Item { get; }
}
