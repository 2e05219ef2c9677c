namespace CoAP.NET.Cluster;

/// <summary>Another node, as far as changes go.</summary>
internal sealed class NoticePeer(CoapNodeId node)
{
    public CoapNodeId Node { get; } = node;

    /// <summary>What it is told.</summary>
    public TellingPeer Telling { get; } = new();

    /// <summary>What is heard of it.</summary>
    public HearingPeer Hearing { get; } = new();

    /// <summary>Whether it is left alone for a while, as it has refused what it was told.</summary>
    public bool IsPaused { get; set; }

    /// <summary>Whether it was in the map. One that was and is no more is forgotten; one that connects may not be there yet.</summary>
    public bool WasThere { get; set; }

    /// <summary>Whether there is something to tell, or under way.</summary>
    public bool HasWork(ChangeMemory memory) =>
        Telling.IsTelling || Telling.HasWork(memory) || Hearing.IsAsking || Hearing.HasWork;
}
