using System.Buffers;
using System.Numerics;

namespace CoAP.NET.Messaging;

/// <summary>
/// The places of finished exchanges by peer and Message ID: open addressing with linear probing, in partitions by peer. Nothing is removed:
/// a place whose segment its log has dropped is free for the next exchange, and goes when its partition is rebuilt. Guarded by the shard's
/// lock.
/// </summary>
/// <param name="logs">The logs, which say which places still exist.</param>
internal sealed class DuplicateTable(SentReplyStore[] logs)
{
    private const int Partitions = 64;
    private const int LeastSlots = 16;

    // Place << 24 | tag; 0 when free. A tag stands for the peer and the Message ID, and decides about the slot.
    private const int TagBits = 24;
    private const uint TagMask = (1 << TagBits) - 1;

    // Peers choose their Message IDs, so nobody may know which of them collide.
    private static readonly uint s_seed = (uint)CoapRandomSource.Secure.NextUInt64();

    private readonly ulong[]?[] _partitions = new ulong[Partitions][];
    private readonly int[] _used = new int[Partitions];
    private int _nextToTidy;

    /// <summary>The memory of the table in bytes.</summary>
    public long Bytes { get; private set; }

    /// <summary>Returns the place of the finished exchange of a peer with a Message ID; 0 for none.</summary>
    public ulong Find(uint peer, ushort messageId)
    {
        if (_partitions[PartitionOf(peer)] is { } slots)
        {
            uint tag = TagOf(peer, messageId);
            for (int i = HomeOf(tag, slots.Length); slots[i] is not 0 and ulong slot; i = (i + 1) & (slots.Length - 1))
            {
                if ((slot & TagMask) == tag && IsOf(slot, peer, messageId))
                {
                    return slot >> TagBits;
                }
            }
        }

        return 0;
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
            Rebuild(partition);
        }

        ulong[] slots = _partitions[partition]!;
        uint tag = TagOf(peer, messageId);
        int i = HomeOf(tag, slots.Length);
        while (slots[i] != 0 && ((slots[i] & TagMask) != tag || (Exists(slots[i]) && !IsOf(slots[i], peer, messageId))))
        {
            i = (i + 1) & (slots.Length - 1);
        }

        _used[partition] += slots[i] == 0 ? 1 : 0;
        slots[i] = (place << TagBits) | tag;
    }

    public List<ulong> PlacesOf(uint peer)
    {
        List<ulong> places = [];
        uint first = TagOf(peer, 0);
        foreach (ulong slot in _partitions[PartitionOf(peer)] ?? [])
        {
            // The tags of a peer are a range.
            if (slot != 0 && (((uint)slot - first) & TagMask) <= ushort.MaxValue && TryGet(slot, out StoredReplyHeader header, out _)
                && header.Peer == peer)
            {
                places.Add(slot >> TagBits);
            }
        }

        return places;
    }

    /// <summary>Frees what dropped places take, in a quarter of the partitions. Called regularly, it also lets numbers be reused.</summary>
    public void Tidy()
    {
        for (int i = 0; i < Partitions / 4; i++)
        {
            if (_used[_nextToTidy] > 0)
            {
                Rebuild(_nextToTidy);
            }

            _nextToTidy = (_nextToTidy + 1) % Partitions;
        }
    }

    public void Clear()
    {
        Array.Clear(_partitions);
        Array.Clear(_used);
        Bytes = 0;
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

    private static int SizeOf(int slots) => (slots * sizeof(ulong)) + 24;

    private bool IsFull(int partition) => _partitions[partition] is not { } slots || (_used[partition] + 1) * 2 > slots.Length;

    private bool Exists(ulong slot) => logs[SentReplyStore.NumberOf(slot >> TagBits)].Contains(slot >> TagBits);

    private bool TryGet(ulong slot, out StoredReplyHeader header, out ReadOnlySpan<byte> reply) =>
        logs[SentReplyStore.NumberOf(slot >> TagBits)].TryGet(slot >> TagBits, out header, out reply);

    private bool IsOf(ulong slot, uint peer, ushort messageId) =>
        TryGet(slot, out StoredReplyHeader header, out _) && header.Peer == peer && header.MessageId == messageId;

    private void Rebuild(int partition)
    {
        ulong[] slots = _partitions[partition] ?? [];
        ulong[] kept = ArrayPool<ulong>.Shared.Rent(_used[partition]);
        int count = 0;
        foreach (ulong slot in slots)
        {
            if (slot != 0 && Exists(slot))
            {
                kept[count++] = slot;
            }
        }

        if (count != _used[partition] || IsFull(partition))
        {
            // At most a third full afterwards. A size that fits stays, so that a steady state allocates nothing.
            int size = 3 * count < slots.Length && 8 * count >= slots.Length
                ? slots.Length
                : Math.Max(LeastSlots, (int)BitOperations.RoundUpToPowerOf2((uint)(3 * count) + 1));
            if (size == slots.Length)
            {
                Array.Clear(slots);
            }
            else
            {
                Bytes += SizeOf(size) - (slots.Length == 0 ? 0 : SizeOf(slots.Length));
                slots = new ulong[size];
                _partitions[partition] = slots;
            }

            foreach (ulong slot in kept.AsSpan(0, count))
            {
                int i = HomeOf((uint)slot & TagMask, size);
                while (slots[i] != 0)
                {
                    i = (i + 1) & (size - 1);
                }

                slots[i] = slot;
            }

            _used[partition] = count;
        }

        ArrayPool<ulong>.Shared.Return(kept);
    }
}
