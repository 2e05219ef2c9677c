using System.Numerics;

namespace CoAP.NET.Messaging;

/// <summary>
/// The places of finished exchanges by peer and Message ID: open addressing with linear probing, in partitions by peer. A slot has 8 bytes,
/// and a half of them are used at most. Guarded by the shard's lock.
/// </summary>
/// <param name="segments">The segments of the shard, in which the places are.</param>
internal sealed class DuplicateTable(IndexedPool<ReplySegment> segments)
{
    private const int Partitions = 64;
    private const int LeastSlots = 16;

    // Place << 24 | tag; 0 when free. A tag identifies the peer and the Message ID, and decides about the slot.
    private const int TagBits = 24;
    private const uint TagMask = (1 << TagBits) - 1;

    // Peers choose their Message IDs, so no peer may know which of them collide.
    private static readonly uint s_seed = (uint)CoapRandomSource.Secure.NextUInt64();

    private readonly ulong[]?[] _partitions = new ulong[Partitions][];
    private readonly int[] _used = new int[Partitions];

    /// <summary>The number of exchanges.</summary>
    public int Count { get; private set; }

    /// <summary>The memory of the table in bytes.</summary>
    public long Bytes { get; private set; }

    /// <summary>Finds the finished exchange of a peer with a Message ID.</summary>
    public bool TryFind(uint peer, ushort messageId, out StoredReplyHeader header, out ReadOnlySpan<byte> reply)
    {
        if (_partitions[PartitionOf(peer)] is { } slots)
        {
            uint tag = TagOf(peer, messageId);
            for (int i = HomeOf(tag, slots.Length); slots[i] is not 0 and ulong slot; i = (i + 1) & (slots.Length - 1))
            {
                if ((slot & TagMask) == tag)
                {
                    header = ReplySegment.Read(segments, slot >> TagBits, out reply);
                    if (header.Peer == peer && header.MessageId == messageId)
                    {
                        return true;
                    }
                }
            }
        }

        header = default;
        reply = default;
        return false;
    }

    /// <summary>Prefetches the memory in which a search begins. Allowed while other threads change the table.</summary>
    public void Fetch(uint peer, ushort messageId)
    {
        if (_partitions[PartitionOf(peer)] is { } slots)
        {
            MemoryPrefetch.Fetch(ref slots[HomeOf(TagOf(peer, messageId), slots.Length)]);
        }
    }

    /// <summary>The additional bytes that the next exchange of a peer needs.</summary>
    public int GrowthFor(uint peer)
    {
        int partition = PartitionOf(peer);
        return !IsFull(partition) ? 0 : _partitions[partition] is { } slots ? slots.Length * sizeof(ulong) : SizeOf(LeastSlots);
    }

    /// <summary>Adds a finished exchange, or replaces one with its peer and Message ID.</summary>
    public void Set(uint peer, ushort messageId, ulong place)
    {
        int partition = PartitionOf(peer);
        if (IsFull(partition))
        {
            Resize(partition, Math.Max(LeastSlots, 2 * (_partitions[partition]?.Length ?? 0)));
        }

        ulong[] slots = _partitions[partition]!;
        uint tag = TagOf(peer, messageId);
        int i = HomeOf(tag, slots.Length);
        while (slots[i] != 0 && ((slots[i] & TagMask) != tag || !IsOf(slots[i], peer, messageId)))
        {
            i = (i + 1) & (slots.Length - 1);
        }

        ChangeUsed(partition, slots[i] == 0 ? 1 : 0);
        slots[i] = (place << TagBits) | tag;
    }

    /// <summary>Removes the exchange at a place, unless a newer one has replaced it.</summary>
    public void Remove(uint peer, ushort messageId, ulong place)
    {
        int partition = PartitionOf(peer);
        ulong slot = (place << TagBits) | TagOf(peer, messageId);
        if (_partitions[partition] is not { } slots || !TryFindSlot(slots, slot, out int free))
        {
            return;
        }

        // Moves those behind it to the front, if they began their search at or before the free slot.
        int mask = slots.Length - 1;
        for (int i = (free + 1) & mask; slots[i] != 0; i = (i + 1) & mask)
        {
            int home = HomeOf((uint)slots[i] & TagMask, slots.Length);
            if (((i - home) & mask) >= ((i - free) & mask))
            {
                slots[free] = slots[i];
                free = i;
            }
        }

        slots[free] = 0;
        ChangeUsed(partition, -1);
    }

    /// <summary>Frees unused memory. A removal frees none: what a segment takes with it from the table soon comes again.</summary>
    public void Trim()
    {
        for (int i = 0; i < Partitions; i++)
        {
            if (_partitions[i] is { } slots && _used[i] * 8 < slots.Length && (slots.Length > LeastSlots || _used[i] == 0))
            {
                Resize(i, _used[i] == 0 ? 0 : slots.Length / 2);
            }
        }
    }

    /// <summary>Lists the places of the exchanges of a peer.</summary>
    public List<ulong> PlacesOf(uint peer)
    {
        List<ulong> places = [];
        uint first = TagOf(peer, 0);
        foreach (ulong slot in _partitions[PartitionOf(peer)] ?? [])
        {
            // The tags of a peer are a range.
            if (slot != 0 && (((uint)slot - first) & TagMask) <= ushort.MaxValue
                && ReplySegment.Read(segments, slot >> TagBits, out _).Peer == peer)
            {
                places.Add(slot >> TagBits);
            }
        }

        return places;
    }

    private static int PartitionOf(uint peer) => (int)((peer * 0x9e37_79b1) >> 26);

    private static uint TagOf(uint peer, ushort messageId) => ((peer * 0x9e37_79b1) + messageId) & TagMask;

    // Eight neighbouring tags share a cache line: peers count their messages.
    private static int HomeOf(uint tag, int slots)
    {
        uint hash = ((tag >> 3) ^ s_seed) * 0x9e37_79b1;
        hash = (hash ^ (hash >> 15)) * 0x85eb_ca6b;
        return (int)((hash >> (35 - BitOperations.Log2((uint)slots))) << 3) | (int)(tag & 7);
    }

    private static int SizeOf(int slots) => slots == 0 ? 0 : (slots * sizeof(ulong)) + 24;

    private static bool TryFindSlot(ulong[] slots, ulong slot, out int index)
    {
        index = HomeOf((uint)slot & TagMask, slots.Length);
        while (slots[index] != slot && slots[index] != 0)
        {
            index = (index + 1) & (slots.Length - 1);
        }

        return slots[index] == slot;
    }

    private bool IsFull(int partition) => _partitions[partition] is not { } slots || (_used[partition] + 1) * 2 > slots.Length;

    private bool IsOf(ulong slot, uint peer, ushort messageId) =>
        ReplySegment.Read(segments, slot >> TagBits, out _) is var header && header.Peer == peer && header.MessageId == messageId;

    private void ChangeUsed(int partition, int change)
    {
        _used[partition] += change;
        Count += change;
    }

    private void Resize(int partition, int size)
    {
        ulong[] before = _partitions[partition] ?? [];
        ulong[]? slots = size == 0 ? null : new ulong[size];
        foreach (ulong slot in before)
        {
            if (slot != 0)
            {
                _ = TryFindSlot(slots!, slot, out int free);
                slots![free] = slot;
            }
        }

        Bytes += SizeOf(size) - SizeOf(before.Length);
        _partitions[partition] = slots;
    }
}
