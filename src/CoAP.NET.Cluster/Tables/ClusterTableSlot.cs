namespace CoAP.NET.Cluster;

/// <summary>
/// The state of one slot of a table on a node, either as its owner or as received from the owner. <see cref="TableSlot.Gate"/> guards all of it.
/// </summary>
/// <remarks>
/// Its position names the changes that it has: those of an owner up to a number. A new owner continues from its position, so nodes with the
/// same changes of the previous owner only need the rest.
/// </remarks>
internal sealed class ClusterTableSlot : TableSlot
{
    private CoapFence _priorFence;
    private long _priorNumber;

    /// <summary>The recently removed entries.</summary>
    public TableRemovals Removals { get; } = new();

    /// <summary>The owner whose changes it has; unset if it only has those of the store.</summary>
    public CoapFence Fence { get; private set; }

    /// <summary>The number after which changes are known.</summary>
    public long Floor { get; private set; }

    /// <summary>The fence under which it was released to another node; it returns under a new one.</summary>
    public CoapFence Released { get; set; }

    /// <summary>Whether the entries were loaded, as owner or not.</summary>
    public bool IsLoaded { get; set; }

    /// <summary>The pending writes by key. Null for none.</summary>
    public Dictionary<CoapTableKey, Task<bool>>? Pending { get; set; }

    /// <summary>The cached digests of its entries.</summary>
    public TableDigests? Digests { get; set; }

    /// <summary>Whether changes after a position are available.</summary>
    public bool Follows(CoapFence fence, long number) => number >= Floor && fence.IsSet
        && ((fence == Fence && number <= Number) || (fence == _priorFence && number <= _priorNumber));

    /// <summary>Makes this node the owner.</summary>
    /// <param name="fence">Its fence.</param>
    /// <param name="least">The minimum number from which its changes continue.</param>
    public void Begin(CoapFence fence, long least)
    {
        // Without reports of an owner, the numbers of stored entries are unordered.
        bool hasHeard = Fence.IsSet;
        (_priorFence, _priorNumber) = (Fence, Number);
        Fence = fence;
        Number = Math.Max(Number, least);
        if (!hasHeard)
        {
            ForgetBefore(Number);
        }
    }

    /// <summary>Sets the position: all changes of an owner up to a number are here, in order.</summary>
    public void Follow(CoapFence fence, long number)
    {
        _priorFence = default;
        (Fence, Number) = (fence, number);
    }

    /// <summary>Clears the position until the comparison with the owner is done.</summary>
    public void Lose()
    {
        _priorFence = default;
        Fence = default;
    }

    /// <summary>Sets the position after a comparison: the changes of an owner up to a number are here, unordered.</summary>
    public void Adopt(CoapFence fence, long number)
    {
        Follow(fence, number);
        for (int index = Entries.Newest; index != TableEntries.None; index = Entries[index].Older)
        {
            ref TableEntry entry = ref Entries[index];
            entry.Number = Math.Min(entry.Number, number);
        }

        ForgetBefore(number);
    }

    /// <summary>Records a removal, which has the number of the last change.</summary>
    public void NoteRemoval(CoapTableKey key, bool isExpired)
    {
        if (Removals.Add(new TableRemoval(Number, key, isExpired)) is { } forgotten)
        {
            Floor = Math.Max(Floor, forgotten.Number);
        }
    }

    private void ForgetBefore(long number)
    {
        Removals.Clear();
        Floor = number;
    }
}
