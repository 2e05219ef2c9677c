using System.Collections;
using System.Diagnostics.CodeAnalysis;

namespace CoAP.NET.Settings;

/// <summary>A dictionary inside settings.</summary>
/// <typeparam name="TKey">The type of its keys.</typeparam>
/// <typeparam name="TValue">The type of its values.</typeparam>
/// <param name="comparer">Compares keys; null for the default.</param>
internal sealed class SettingDictionary<TKey, TValue>(IEqualityComparer<TKey>? comparer = null) : IDictionary<TKey, TValue>, ISettings
    where TKey : notnull
{
    private readonly Dictionary<TKey, TValue> _items = new(comparer);
    private string? _user;

    public ICollection<TKey> Keys => _items.Keys;

    public ICollection<TValue> Values => _items.Values;

    public int Count => _items.Count;

    public bool IsReadOnly => _user is not null;

    private ICollection<KeyValuePair<TKey, TValue>> Pairs => _items;

    private Dictionary<TKey, TValue> Writable
    {
        get
        {
            ValueGuard.ThrowIfReadOnly(_user, "dictionary");
            return _items;
        }
    }

    public TValue this[TKey key]
    {
        get => _items[key];
        set => Writable[key] = value;
    }

    public void MakeReadOnly(string user) => _user ??= user;

    public void Add(TKey key, TValue value) => Writable.Add(key, value);

    public void Add(KeyValuePair<TKey, TValue> item) => Writable.Add(item.Key, item.Value);

    public bool Remove(TKey key) => Writable.Remove(key);

    public bool Remove(KeyValuePair<TKey, TValue> item) => ((ICollection<KeyValuePair<TKey, TValue>>)Writable).Remove(item);

    public void Clear() => Writable.Clear();

    public bool ContainsKey(TKey key) => _items.ContainsKey(key);

    public bool TryGetValue(TKey key, [MaybeNullWhen(false)] out TValue value) => _items.TryGetValue(key, out value);

    public bool Contains(KeyValuePair<TKey, TValue> item) => Pairs.Contains(item);

    public void CopyTo(KeyValuePair<TKey, TValue>[] array, int arrayIndex) => Pairs.CopyTo(array, arrayIndex);

    public IEnumerator<KeyValuePair<TKey, TValue>> GetEnumerator() => _items.GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => _items.GetEnumerator();
}
