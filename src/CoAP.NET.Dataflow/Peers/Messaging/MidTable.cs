using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace CoAP.NET.Messaging;

/// <summary>
/// A map of one peer from Message IDs to places, with 8 bytes per entry: open addressing in which entries far from their slot precede near
/// ones (Robin Hood hashing), so an unsuccessful search ends soon. A struct inside its owner. A few entries are inside the struct, more in
/// an array.
/// </summary>
internal struct MidTable
{
    /// <summary>Places are numbers of 48 bits above zero.</summary>
    public const int PlaceBits = 48;

    /// <summary>The number of entries without an array: what a device that sends once a minute leaves within EXCHANGE_LIFETIME.</summary>
    public const int FewCapacity = 4;

    private const int MinCapacity = 8;
    private const int GroupBits = 3;

    // Place << 16 | Message ID; 0 when free.
    private ulong[]? _entries;
    private int _count;
    private Few _few; // without an array: the first entries are used

    public readonly int Count => _count;

    public readonly int Capacity => _entries?.Length ?? FewCapacity;

    /// <summary>The memory beyond its owner, in bytes.</summary>
    public readonly int Bytes => _entries is null ? 0 : (_entries.Length * sizeof(ulong)) + 24;

    /// <summary>The additional bytes after <see cref="Grow"/>.</summary>
    public readonly int GrowthBytes => _entries is null ? (MinCapacity * sizeof(ulong)) + 24 : _entries.Length * sizeof(ulong);

    /// <summary>Whether the next new entry needs <see cref="Grow"/> first.</summary>
    public readonly bool IsFull => _entries is null ? _count == FewCapacity : (_count + 1) * 4 > _entries.Length * 3;

    /// <summary>The entries as stored; free ones are zero.</summary>
    [UnscopedRef]
    public readonly ReadOnlySpan<ulong> Entries => _entries is null ? ((ReadOnlySpan<ulong>)_few)[.._count] : _entries;

    public static ulong PlaceOf(ulong entry) => entry >> 16;

    public static ushort MidOf(ulong entry) => (ushort)entry;

    /// <summary>The largest distance of an entry from its slot: the maximum length of a search.</summary>
    public readonly int LongestDistance
    {
        get
        {
            int longest = 0;
            for (int i = 0; _entries is not null && i < _entries.Length; i++)
            {
                longest = _entries[i] == 0 ? longest : Math.Max(longest, DistanceAt(_entries, i, _entries.Length - 1));
            }

            return longest;
        }
    }

    /// <summary>Returns the place of a Message ID; 0 for none.</summary>
    public readonly ulong Find(ushort mid)
    {
        if (_entries is not { } entries)
        {
            int few = IndexOfFew(mid);
            return few < 0 ? 0 : _few[few] >> 16;
        }

        int mask = entries.Length - 1;
        int i = Home(mid, mask);
        for (int distance = 0; entries[i] != 0 && DistanceAt(entries, i, mask) >= distance; distance++)
        {
            if ((ushort)entries[i] == mid)
            {
                return entries[i] >> 16;
            }

            i = (i + 1) & mask;
        }

        return 0;
    }

    /// <summary>Prefetches the memory in which a search begins. Allowed while other threads change the table.</summary>
    public readonly void Fetch(ushort mid)
    {
        if (_entries is { } entries)
        {
            CacheLines.Fetch(ref entries[Home(mid, entries.Length - 1)]);
        }
    }

    /// <summary>Adds a Message ID, or changes its place. There must be room.</summary>
    public void Set(ushort mid, ulong place)
    {
        if (_entries is not { } entries)
        {
            int few = IndexOfFew(mid);
            _few[few < 0 ? _count++ : few] = (place << 16) | mid;
            return;
        }

        int mask = entries.Length - 1;
        ulong entry = (place << 16) | mid;
        int i = Home(mid, mask);
        for (int distance = 0; entries[i] != 0; distance++)
        {
            if ((ushort)entries[i] == (ushort)entry)
            {
                entries[i] = entry;
                return;
            }

            // The entry nearer to its own slot gives way, so each run is ordered by the slots of its entries.
            int other = DistanceAt(entries, i, mask);
            if (other < distance)
            {
                (entries[i], entry) = (entry, entries[i]);
                distance = other;
            }

            i = (i + 1) & mask;
        }

        entries[i] = entry;
        _count++;
    }

    public bool Remove(ushort mid)
    {
        if (_entries is not { } entries)
        {
            int few = IndexOfFew(mid);
            if (few < 0)
            {
                return false;
            }

            _few[few] = _few[--_count];
            return true;
        }

        int mask = entries.Length - 1;
        int hole = Home(mid, mask);
        for (int distance = 0; (ushort)entries[hole] != mid || entries[hole] == 0; distance++)
        {
            if (entries[hole] == 0 || DistanceAt(entries, hole, mask) < distance)
            {
                return false;
            }

            hole = (hole + 1) & mask;
        }

        // Later entries move up, until one is in its own slot, which mostly happens soon.
        for (int i = (hole + 1) & mask; entries[i] != 0 && DistanceAt(entries, i, mask) > 0; i = (i + 1) & mask)
        {
            entries[hole] = entries[i];
            hole = i;
        }

        entries[hole] = 0;
        _count--;
        return true;
    }

    /// <summary>Takes over a part of its entries, in the smallest capacity with room for some more.</summary>
    public void Rebuild(ReadOnlySpan<ulong> kept, int spare)
    {
        int wanted = kept.Length + spare;
        int capacity = MinCapacity;
        while (wanted * 4 > capacity * 3)
        {
            capacity *= 2;
        }

        Fill(wanted <= FewCapacity ? null : new ulong[capacity], kept);
    }

    /// <summary>Makes room for at least one more entry.</summary>
    public void Grow()
    {
        if (_entries is { } old)
        {
            Fill(new ulong[old.Length * 2], old);
        }
        else
        {
            Few few = _few;
            Fill(new ulong[MinCapacity], ((ReadOnlySpan<ulong>)few)[.._count]);
        }
    }

    /// <summary>
    /// Returns the slot of a Message ID. Eight consecutive ones share a cache line, and the lines are scattered. So a range of new Message
    /// IDs collides with a range of old ones in single lines and not as a whole.
    /// </summary>
    private static int Home(ushort mid, int mask)
    {
        uint group = (uint)(mid >> GroupBits) * 0x9e37_79b1u;
        return ((int)(group >> 12) << GroupBits | (mid & ((1 << GroupBits) - 1))) & mask;
    }

    private readonly int IndexOfFew(ushort mid)
    {
        for (int i = 0; i < _count; i++)
        {
            if ((ushort)_few[i] == mid)
            {
                return i;
            }
        }

        return -1;
    }

    /// <summary>Returns the distance of an entry from the slot of its Message ID.</summary>
    private static int DistanceAt(ulong[] entries, int i, int mask) => (i - Home((ushort)entries[i], mask)) & mask;

    private void Fill(ulong[]? entries, ReadOnlySpan<ulong> kept)
    {
        _entries = entries;
        _count = 0;
        foreach (ulong entry in kept)
        {
            if (entry != 0)
            {
                Set((ushort)entry, entry >> 16);
            }
        }
    }

    [InlineArray(FewCapacity)]
    private struct Few
    {
        private ulong _first;
    }
}
