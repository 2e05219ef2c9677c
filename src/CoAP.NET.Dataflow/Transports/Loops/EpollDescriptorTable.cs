namespace CoAP.NET.Transports.Loops;

/// <summary>The descriptors of a loop, by the number in an event.</summary>
internal sealed class EpollDescriptorTable
{
    private readonly Stack<int> _free = new();
    private EpollWatchedDescriptor?[] _slots = new EpollWatchedDescriptor?[16];
    private int _used = 1; // 0 is the loop's own event
    private int _generation;

    /// <summary>Adds a descriptor and gives it a number other than 0.</summary>
    public void Add(EpollWatchedDescriptor file)
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

    public EpollWatchedDescriptor? Find(long id)
    {
        int slot = (int)id;
        return (uint)slot < (uint)_slots.Length && _slots[slot] is { } file && file.Id == id ? file : null;
    }

    public void Remove(EpollWatchedDescriptor file)
    {
        if (Find(file.Id) == file)
        {
            int slot = (int)file.Id;
            _slots[slot] = null;
            _free.Push(slot);
        }
    }

    /// <summary>All descriptors, with gaps.</summary>
    public ReadOnlySpan<EpollWatchedDescriptor?> Slots => _slots;

    /// <summary>Returns the distinct transports with descriptors, as a new list.</summary>
    public List<EpollTransportContext> Owners() =>
        [.. _slots.OfType<EpollWatchedDescriptor>().Select(static file => file.Owner).Distinct()];

    /// <summary>Returns the descriptors of a transport, as a new list.</summary>
    public List<EpollWatchedDescriptor> Of(EpollTransportContext owner)
    {
        List<EpollWatchedDescriptor> files = [];
        foreach (EpollWatchedDescriptor? file in _slots)
        {
            if (file?.Owner == owner)
            {
                files.Add(file);
            }
        }

        return files;
    }
}
