using System.Diagnostics.CodeAnalysis;

namespace CoAP.NET.Execution;

/// <summary>
/// A dictionary of limited size: another entry takes the place of the oldest one, which was not set or used for longest. Not thread-safe.
/// </summary>
/// <param name="capacity">The maximum number of entries, at least 1.</param>
/// <param name="comparer">Compares keys; null for the default.</param>
internal sealed class LruDictionary<TKey, TValue>(int capacity, IEqualityComparer<TKey>? comparer = null)
    where TKey : notnull
{
    private readonly Dictionary<TKey, LinkedListNode<KeyValuePair<TKey, TValue>>> _nodes = new(comparer);
    private readonly LinkedList<KeyValuePair<TKey, TValue>> _byUse = [];

    public int Count => _nodes.Count;

    /// <summary>The entries, the oldest first.</summary>
    public IReadOnlyCollection<KeyValuePair<TKey, TValue>> Entries => _byUse;

    /// <summary>The oldest entry; null for none.</summary>
    public KeyValuePair<TKey, TValue>? Oldest => _byUse.First?.Value;

    /// <summary>Finds an entry, which does not count as a use.</summary>
    public bool TryGetValue(TKey key, [MaybeNullWhen(false)] out TValue value)
    {
        bool isThere = _nodes.TryGetValue(key, out LinkedListNode<KeyValuePair<TKey, TValue>>? node);
        value = isThere ? node!.Value.Value : default;
        return isThere;
    }

    /// <summary>Finds an entry, which becomes the newest.</summary>
    public bool TryUse(TKey key, [MaybeNullWhen(false)] out TValue value)
    {
        if (!_nodes.TryGetValue(key, out LinkedListNode<KeyValuePair<TKey, TValue>>? node))
        {
            value = default;
            return false;
        }

        _byUse.Remove(node);
        _byUse.AddLast(node);
        value = node.Value.Value;
        return true;
    }

    /// <summary>Adds an entry as the newest, or replaces the one of its key.</summary>
    /// <param name="key">The key.</param>
    /// <param name="value">The value.</param>
    /// <param name="evicted">The oldest entry, if there was no room for both.</param>
    /// <returns>Whether an entry was evicted.</returns>
    public bool Set(TKey key, TValue value, out KeyValuePair<TKey, TValue> evicted)
    {
        Remove(key, out _);
        bool isFull = _nodes.Count == capacity;
        evicted = isFull ? _byUse.First!.Value : default;
        if (isFull)
        {
            Remove(evicted.Key, out _);
        }

        _nodes.Add(key, _byUse.AddLast(new KeyValuePair<TKey, TValue>(key, value)));
        return isFull;
    }

    /// <inheritdoc cref="Set(TKey, TValue, out KeyValuePair{TKey, TValue})"/>
    public void Set(TKey key, TValue value) => Set(key, value, out _);

    public bool Remove(TKey key, [MaybeNullWhen(false)] out TValue value)
    {
        bool isThere = _nodes.Remove(key, out LinkedListNode<KeyValuePair<TKey, TValue>>? node);
        value = isThere ? node!.Value.Value : default;
        if (isThere)
        {
            _byUse.Remove(node!);
        }

        return isThere;
    }
}
