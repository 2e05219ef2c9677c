using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;

namespace CoAP.NET.Generators;

/// <summary>A list that equals another one with equal items, so that the compiler detects unchanged input.</summary>
internal sealed class EquatableList<T>(IEnumerable<T> items) : IReadOnlyList<T>, IEquatable<EquatableList<T>>
{
    private readonly T[] _items = items.ToArray();

    public static EquatableList<T> Empty { get; } = new([]);

    public int Count => _items.Length;

    public T this[int index] => _items[index];

    public bool Equals(EquatableList<T>? other) => other is not null && _items.SequenceEqual(other._items);

    public override bool Equals(object? obj) => Equals(obj as EquatableList<T>);

    public override int GetHashCode()
    {
        int hash = _items.Length;
        foreach (T item in _items)
        {
            hash = unchecked((hash * 31) + (item?.GetHashCode() ?? 0));
        }

        return hash;
    }

    public IEnumerator<T> GetEnumerator() => ((IEnumerable<T>)_items).GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();
}
