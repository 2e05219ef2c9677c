namespace CoAP.NET.Messaging;

/// <summary>Objects by small numbers. Numbers begin at 1 and are reused.</summary>
internal sealed class IndexedPool<T>
    where T : class
{
    private T?[] _items = new T?[16];
    private int[] _free = new int[16];
    private int _freeCount;
    private int _used;

    public int Count => _used - _freeCount;

    public T? this[ulong number] => number - 1 < (ulong)_used ? _items[number - 1] : null;

    /// <summary>Returns all objects as a new list.</summary>
    public List<T> All() => [.. _items.OfType<T>()];

    public ulong Add(T item)
    {
        int index = _freeCount > 0 ? _free[--_freeCount] : _used++;
        if (index == _items.Length)
        {
            Array.Resize(ref _items, index * 2);
        }

        _items[index] = item;
        return (ulong)index + 1;
    }

    public void Remove(ulong number)
    {
        int index = (int)(number - 1);
        _items[index] = null;
        if (_freeCount == _free.Length)
        {
            Array.Resize(ref _free, _freeCount * 2);
        }

        _free[_freeCount++] = index;
    }
}
