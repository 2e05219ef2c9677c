namespace CoAP.NET.Cluster;

/// <summary>What a node has of one slot of a table. <see cref="Gate"/> guards all of it.</summary>
internal sealed class TableSlot
{
    /// <summary>Held while the rules are asked and told.</summary>
    public Lock Gate { get; } = new();

    /// <summary>The entries.</summary>
    public TableEntries Entries { get; } = new();

    /// <summary>The number of the last change.</summary>
    public long Number { get; set; }

    /// <summary>Whether this node ends entries whose lifetime is over.</summary>
    public bool IsOwned { get; set; }

    /// <exception cref="InvalidOperationException">The rules are being called on this thread.</exception>
    public void ThrowIfHeld()
    {
        if (Gate.IsHeldByCurrentThread)
        {
            throw new InvalidOperationException("The rules of a table asked the table while it called them. Have them do it afterwards, on "
                + "another thread.");
        }
    }
}
