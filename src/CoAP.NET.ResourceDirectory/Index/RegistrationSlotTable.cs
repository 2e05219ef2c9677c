using System.Runtime.InteropServices;

namespace CoAP.NET.ResourceDirectory.Index;

/// <summary>All slots, in pages that are never copied when the table grows.</summary>
internal sealed class RegistrationSlotTable
{
    private const int PageBits = 12;
    private const int PageMask = (1 << PageBits) - 1;

    private readonly List<RegistrationSlot[]> _pages = [];
    private readonly Stack<int> _free = [];
    private int _used;

    /// <summary>The number of used slots.</summary>
    public int Count => _used - _free.Count;

    public ref RegistrationSlot this[int id] => ref CollectionsMarshal.AsSpan(_pages)[id >> PageBits][id & PageMask];

    public int Take()
    {
        if (_free.TryPop(out int free))
        {
            return free;
        }

        if (_used >> PageBits == _pages.Count)
        {
            _pages.Add(new RegistrationSlot[1 << PageBits]);
        }

        return _used++;
    }

    public void Free(int id)
    {
        this[id] = default;
        _free.Push(id);
    }
}
