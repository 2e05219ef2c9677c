namespace CoAP.NET.Cluster;

/// <summary>The schedule for asking a node for its UDP address. The owner locks.</summary>
internal sealed class RelayNeighbour
{
    /// <summary>Whether a question is pending.</summary>
    public bool IsAsking { get; set; }

    /// <summary>The time of the next question, as a timestamp.</summary>
    public long AsksAt { get; set; } = long.MinValue;

    /// <summary>The number of useless answers.</summary>
    public int Tries { get; set; }

    /// <summary>The number of unanswered questions by UDP since.</summary>
    public int Questions { get; set; }

    /// <summary>Begins a question if one is due.</summary>
    /// <param name="hasWay">Whether there is a way to the node.</param>
    /// <param name="isStalled">Whether answers of the node are overdue there: it has forgotten the key, for example because it missed in
    /// the map for a moment, and drops what is sent with it. The next question is then due at once.</param>
    /// <param name="now">The time, as a timestamp.</param>
    public bool TryBegin(bool hasWay, bool isStalled, long now)
    {
        bool begins = !IsAsking && (hasWay ? isStalled : now >= AsksAt);
        IsAsking |= begins;
        return begins;
    }
}
