namespace CoAP.NET.Cluster;

/// <summary>
/// What a node has of one slot of a table, as its owner or as it heard from the owner. <see cref="Gate"/> guards all of it.
/// </summary>
/// <remarks>
/// Its position says which changes it has: those of an owner up to a number. An owner counts on from the position that it had before, so
/// who has heard the same changes of the owner before is told the rest only.
/// </remarks>
internal sealed class TableSlot
{
    private CoapFence _priorFence;
    private long _priorNumber;

    /// <summary>Held while the rules are asked and told.</summary>
    public Lock Gate { get; } = new();

    /// <summary>The entries.</summary>
    public TableEntries Entries { get; } = new();

    /// <summary>The entries that were removed lately.</summary>
    public TableRemovals Removals { get; } = new();

    /// <summary>The owner whose changes it has; not set when they are those of the store only.</summary>
    public CoapFence Fence { get; private set; }

    /// <summary>The number of the last change.</summary>
    public long Number { get; set; }

    /// <summary>The changes after this number are known, those before it are not.</summary>
    public long Floor { get; private set; }

    /// <summary>Whether this node decides, and ends entries whose lifetime is over.</summary>
    public bool IsOwned { get; set; }

    /// <summary>The fence under which it was released to move to another node; it comes back under a new one.</summary>
    public CoapFence Released { get; set; }

    /// <summary>Whether the entries were loaded, as owner or not.</summary>
    public bool IsLoaded { get; set; }

    /// <summary>What waits for the store, by key. Null for nothing.</summary>
    public Dictionary<CoapTableKey, Task<bool>>? Pending { get; set; }

    /// <summary>The digests of its entries, when they were asked for last.</summary>
    public TableDigests? Digests { get; set; }

    /// <exception cref="InvalidOperationException">The rules are being called on this thread.</exception>
    public void ThrowIfHeld()
    {
        if (Gate.IsHeldByCurrentThread)
        {
            throw new InvalidOperationException("The rules of a table asked the table while it called them. Have them do it afterwards, on "
                + "another thread.");
        }
    }

    /// <summary>Whether who has a position can be told the changes after it.</summary>
    public bool Follows(CoapFence fence, long number) => number >= Floor && fence.IsSet
        && ((fence == Fence && number <= Number) || (fence == _priorFence && number <= _priorNumber));

    /// <summary>This node is the owner from now on.</summary>
    /// <param name="fence">Its fence.</param>
    /// <param name="least">The least number that its changes go on from.</param>
    public void Begin(CoapFence fence, long least)
    {
        // Where no owner was heard of, the numbers of what was read from the store are in no order.
        bool hasHeard = Fence.IsSet;
        (_priorFence, _priorNumber) = (Fence, Number);
        Fence = fence;
        Number = Math.Max(Number, least);
        if (!hasHeard)
        {
            ForgetBefore(Number);
        }
    }

    /// <summary>All changes of an owner up to a number are here, in the order in which they came.</summary>
    public void Follow(CoapFence fence, long number)
    {
        _priorFence = default;
        (Fence, Number) = (fence, number);
    }

    /// <summary>It is being compared with that of the owner, and is at no position until that is done.</summary>
    public void Lose()
    {
        _priorFence = default;
        Fence = default;
    }

    /// <summary>It was compared with that of an owner, and has its changes up to a number, in no order.</summary>
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

    /// <summary>Notes a removal, which has the number of the last change.</summary>
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
