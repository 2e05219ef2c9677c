using System.Diagnostics.CodeAnalysis;

namespace CoAP.NET.Messaging;

/// <summary>
/// A map of one peer from Message IDs to places, 8 bytes an entry: open addressing, the Message ID itself as hash, so that the consecutive
/// Message IDs of a peer share cache lines. A struct inside its owner; a single entry stands in it, more in an array.
/// </summary>
internal struct MidTable
{
    /// <summary>Places are numbers of 48 bits above zero.</summary>
    public const int PlaceBits = 48;

    private const int MinCapacity = 4;

    // Place << 16 | Message ID; 0 when free.
    private ulong[]? _entries;
    private ulong _single; // while there is no array
    private int _count;

    public readonly int Count => _count;

    public readonly int Capacity => _entries?.Length ?? 1;

    /// <summary>The memory it takes beyond its owner, in bytes.</summary>
    public readonly int Bytes => _entries is null ? 0 : (_entries.Length * sizeof(ulong)) + 24;

    /// <summary>How many bytes more it takes after <see cref="Grow"/>.</summary>
    public readonly int GrowthBytes => _entries is null ? (MinCapacity * sizeof(ulong)) + 24 : _entries.Length * sizeof(ulong);

    /// <summary>Whether the next new entry needs <see cref="Grow"/> first.</summary>
    public readonly bool IsFull => _entries is null ? _single != 0 : (_count + 1) * 4 > _entries.Length * 3;

    /// <summary>The entries as they lie, free ones zero.</summary>
    [UnscopedRef]
    public readonly ReadOnlySpan<ulong> Entries => _entries is null ? new ReadOnlySpan<ulong>(in _single) : _entries;

    public static ulong PlaceOf(ulong entry) => entry >> 16;

    public static ushort MidOf(ulong entry) => (ushort)entry;

    /// <summary>The place of a Message ID; 0 when there is none.</summary>
    public readonly ulong Find(ushort mid)
    {
        if (_entries is not { } entries)
        {
            return (ushort)_single == mid ? _single >> 16 : 0;
        }

        int mask = entries.Length - 1;
        for (int i = mid & mask; entries[i] != 0; i = (i + 1) & mask)
        {
            if ((ushort)entries[i] == mid)
            {
                return entries[i] >> 16;
            }
        }

        return 0;
    }

    /// <summary>Adds a Message ID or gives it another place. There must be room.</summary>
    public void Set(ushort mid, ulong place)
    {
        if (_entries is not { } entries)
        {
            _single = (place << 16) | mid;
            _count = 1;
            return;
        }

        int mask = entries.Length - 1;
        int i = mid & mask;
        while (entries[i] != 0 && (ushort)entries[i] != mid)
        {
            i = (i + 1) & mask;
        }

        if (entries[i] == 0)
        {
            _count++;
        }

        entries[i] = (place << 16) | mid;
    }

    public bool Remove(ushort mid)
    {
        if (_entries is not { } entries)
        {
            if (_single == 0 || (ushort)_single != mid)
            {
                return false;
            }

            _single = 0;
            _count = 0;
            return true;
        }

        int mask = entries.Length - 1;
        int hole = mid & mask;
        while ((ushort)entries[hole] != mid || entries[hole] == 0)
        {
            if (entries[hole] == 0)
            {
                return false;
            }

            hole = (hole + 1) & mask;
        }

        // Backward shift: entries behind the hole move up unless that would put them before their own slot.
        for (int i = (hole + 1) & mask; entries[i] != 0; i = (i + 1) & mask)
        {
            int home = (ushort)entries[i] & mask;
            if (((i - home) & mask) >= ((i - hole) & mask))
            {
                entries[hole] = entries[i];
                hole = i;
            }
        }

        entries[hole] = 0;
        _count--;
        return true;
    }

    /// <summary>Takes over a part of its entries, in the smallest capacity that leaves room for some more.</summary>
    public void Rebuild(ReadOnlySpan<ulong> kept, int spare)
    {
        int wanted = kept.Length + spare;
        int capacity = MinCapacity;
        while (wanted * 4 > capacity * 3)
        {
            capacity *= 2;
        }

        Fill(wanted <= 1 ? null : new ulong[capacity], kept);
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
            Fill(new ulong[MinCapacity], [_single]);
        }
    }

    private void Fill(ulong[]? entries, ReadOnlySpan<ulong> kept)
    {
        _entries = entries;
        _single = 0;
        _count = 0;
        foreach (ulong entry in kept)
        {
            if (entry != 0)
            {
                Set((ushort)entry, entry >> 16);
            }
        }
    }
}
