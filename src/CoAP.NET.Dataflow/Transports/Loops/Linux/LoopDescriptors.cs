namespace CoAP.NET.Transports;

/// <summary>The descriptors of a loop, by the number in an event.</summary>
internal sealed class LoopDescriptors
{
    private readonly Stack<int> _free = new();
    private LoopDescriptor?[] _slots = new LoopDescriptor?[16];
    private int _used = 1; // 0 is the loop's own event
    private int _generation;

    /// <summary>Adds a descriptor and gives it a number other than 0.</summary>
    public void Add(LoopDescriptor file)
    {
        if (!_free.TryPop(out int slot))
        {
            if (_used == _slots.Length)
            {
                Array.Resize(ref _slots, _used * 2);
            }

            slot = _used++;
        }

        file.Id = ((long)++_generation << 32) | (uint)slot;
        _slots[slot] = file;
    }

    public LoopDescriptor? Find(long id)
    {
        int slot = (int)id;
        return (uint)slot < (uint)_slots.Length && _slots[slot] is { } file && file.Id == id ? file : null;
    }

    public void Remove(LoopDescriptor file)
    {
        if (Find(file.Id) == file)
        {
            int slot = (int)file.Id;
            _slots[slot] = null;
            _free.Push(slot);
        }
    }

    /// <summary>All descriptors, with gaps.</summary>
    public ReadOnlySpan<LoopDescriptor?> Slots => _slots;

    /// <summary>Returns the distinct transports with descriptors, as a new list.</summary>
    public List<LoopTransportContext> Owners() => [.. _slots.OfType<LoopDescriptor>().Select(static file => file.Owner).Distinct()];

    /// <summary>Returns the descriptors of a transport, as a new list.</summary>
    public List<LoopDescriptor> Of(LoopTransportContext owner)
    {
        List<LoopDescriptor> files = [];
        foreach (LoopDescriptor? file in _slots)
        {
            if (file?.Owner == owner)
            {
                files.Add(file);
            }
        }

        return files;
    }
}
