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
}
