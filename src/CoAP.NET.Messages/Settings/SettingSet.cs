using System.Collections;

namespace CoAP.NET.Settings;

/// <summary>A set inside settings.</summary>
/// <typeparam name="T">The type of its items.</typeparam>
/// <param name="comparer">Compares items; null for the default.</param>
internal sealed class SettingSet<T>(IEqualityComparer<T>? comparer = null) : ISet<T>, ISettings
{
    private readonly HashSet<T> _items = new(comparer);
    private string? _user;

    public int Count => _items.Count;

    public bool IsReadOnly => _user is not null;

    private HashSet<T> Writable
    {
        get
        {
            ValueGuard.ThrowIfReadOnly(_user, "set");
            return _items;
        }
    }

    public void MakeReadOnly(string user) => _user ??= user;

    public bool Add(T item) => Writable.Add(item);

    void ICollection<T>.Add(T item) => Writable.Add(item);

    public bool Remove(T item) => Writable.Remove(item);

    public void Clear() => Writable.Clear();

    public void UnionWith(IEnumerable<T> other) => Writable.UnionWith(other);

    public void ExceptWith(IEnumerable<T> other) => Writable.ExceptWith(other);

    public void IntersectWith(IEnumerable<T> other) => Writable.IntersectWith(other);

    public void SymmetricExceptWith(IEnumerable<T> other) => Writable.SymmetricExceptWith(other);

    public bool Contains(T item) => _items.Contains(item);

    public void CopyTo(T[] array, int arrayIndex) => _items.CopyTo(array, arrayIndex);

    public bool Overlaps(IEnumerable<T> other) => _items.Overlaps(other);

    public bool SetEquals(IEnumerable<T> other) => _items.SetEquals(other);

    public bool IsSubsetOf(IEnumerable<T> other) => _items.IsSubsetOf(other);

    public bool IsSupersetOf(IEnumerable<T> other) => _items.IsSupersetOf(other);

    public bool IsProperSubsetOf(IEnumerable<T> other) => _items.IsProperSubsetOf(other);

    public bool IsProperSupersetOf(IEnumerable<T> other) => _items.IsProperSupersetOf(other);

    public IEnumerator<T> GetEnumerator() => _items.GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => _items.GetEnumerator();
}
