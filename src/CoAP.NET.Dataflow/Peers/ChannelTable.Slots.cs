using CoAP.NET.Channels;
using CoAP.NET.Transports;

namespace CoAP.NET.Peers;

// The table itself: linear probing. Each slot holds the hash of its peer, so that a search touches no channel but the one that it finds, and growing touches none.
internal sealed partial class ChannelTable
{
    /// <summary>Has the memory fetched in which the search for a peer begins.</summary>
    public void Fetch(ulong hash)
    {
        Slot[] slots = Volatile.Read(ref _slots);
        CacheLines.Fetch(ref slots[(int)hash & (slots.Length - 1)]);
    }

    /// <summary>Says which channel a datagram that will be handed in soon probably has, without the lock and without touching the channel; null also where that is not worth it.</summary>
    public CoapChannel? Guess(ulong hash)
    {
        if (_hasPinned)
        {
            return null;
        }

        Slot[] slots = Volatile.Read(ref _slots);
        for (int i = (int)hash & (slots.Length - 1); Volatile.Read(ref slots[i].Channel) is { } channel; i = (i + 1) & (slots.Length - 1))
        {
            if (slots[i].Hash == hash)
            {
                return channel;
            }
        }

        return null;
    }

    /// <summary>Whether a channel is that of a datagram.</summary>
    public static bool Is(CoapChannel channel, CoapDatagram datagram) =>
        Is(channel, datagram.Transport!, datagram.TransportTag, datagram.Remote, datagram.Local.IsMulticast ? null : datagram.Local);

    private IEnumerable<CoapChannel> Channels() => _slots.Select(static slot => slot.Channel).OfType<CoapChannel>();

    private static void Place(Slot[] slots, CoapChannel channel, ulong hash)
    {
        int i = (int)hash & (slots.Length - 1);
        while (slots[i].Channel is not null)
        {
            i = (i + 1) & (slots.Length - 1);
        }

        Set(ref slots[i], channel, hash);
    }

    // After the hash and everything in the channel: who reads without the lock must find both complete. One that meets the hash of another peer passes it by.
    private static void Set(ref Slot slot, CoapChannel channel, ulong hash)
    {
        Volatile.Write(ref slot.Hash, hash);
        Volatile.Write(ref slot.Channel, channel);
    }

    private void Remove(CoapChannel channel)
    {
        int mask = _slots.Length - 1;
        int hole = (int)channel.AddressHash & mask;
        while (_slots[hole].Channel != channel)
        {
            hole = (hole + 1) & mask;
        }

        // Backward shift: what could stand in the hole moves into it, so that searches never meet a gap.
        for (int i = (hole + 1) & mask; _slots[i].Channel is { } other; i = (i + 1) & mask)
        {
            int home = (int)_slots[i].Hash & mask;
            if (((i - home) & mask) >= ((i - hole) & mask))
            {
                Set(ref _slots[hole], other, _slots[i].Hash);
                hole = i;
            }
        }

        Volatile.Write(ref _slots[hole].Channel, null);
        _count--;
        if (_slots.Length > MinSlots && _count * 8L < _slots.Length)
        {
            Resize(_slots.Length / 2);
        }
    }

    private void Resize(int length)
    {
        Slot[] slots = new Slot[length];
        foreach (ref readonly Slot slot in _slots.AsSpan())
        {
            if (slot.Channel is { } channel)
            {
                Place(slots, channel, slot.Hash);
            }
        }

        Volatile.Write(ref _slots, slots);
    }

    private struct Slot
    {
        public CoapChannel? Channel;
        public ulong Hash;
    }
}
