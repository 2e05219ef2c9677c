namespace CoAP.NET.Cli.Wire;

/// <summary>A dictionary that forgets the oldest items, because any number of clients can add some.</summary>
/// <typeparam name="TKey">The keys.</typeparam>
/// <typeparam name="TValue">The values.</typeparam>
internal sealed class RecentItems<TKey, TValue>
    where TKey : notnull
{
    private const int MaxItems = 4096;

    private readonly Queue<TKey> _order = [];
    private readonly Dictionary<TKey, TValue> _values = [];

    /// <summary>Finds an item.</summary>
    public bool Find(TKey key, out TValue? value) => _values.TryGetValue(key, out value);

    /// <summary>Adds or replaces an item.</summary>
    public void Set(TKey key, TValue value)
    {
        if (!_values.ContainsKey(key))
        {
            _order.Enqueue(key);
        }

        _values[key] = value;

        // Removed items are still in the order.
        while (_order.Count > MaxItems)
        {
            _values.Remove(_order.Dequeue());
        }
    }

    /// <summary>Removes an item.</summary>
    public bool Remove(TKey key, out TValue? value) => _values.Remove(key, out value);
}
