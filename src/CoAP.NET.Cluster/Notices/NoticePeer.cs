namespace CoAP.NET.Cluster;

/// <summary>The state of change notices with another node.</summary>
internal sealed class NoticePeer(CoapNodeId node)
{
    public CoapNodeId Node { get; } = node;

    /// <summary>The changes for that node.</summary>
    public TellingPeer Telling { get; } = new();

    /// <summary>The changes from that node.</summary>
    public HearingPeer Hearing { get; } = new();

    /// <summary>Whether it is paused because it has refused a message.</summary>
    public bool IsPaused { get; set; }

    /// <summary>
    /// Whether it was in the map. A node that was and no longer is gets forgotten; one that connects may not be in it yet.
    /// </summary>
    public bool WasThere { get; set; }

    /// <summary>Whether messages wait or are pending.</summary>
    public bool HasWork(ChangeMemory memory) =>
        Telling.IsTelling || Telling.HasWork(memory) || Hearing.IsAsking || Hearing.HasWork;
}
