namespace CoAP.NET.Cluster;

/// <summary>Where the sessions of a slot are.</summary>
internal enum SlotPlace
{
    /// <summary>At this node.</summary>
    Here,

    /// <summary>At another node that is there.</summary>
    Elsewhere,

    /// <summary>Not loaded here yet, being handed over, or of a node that is gone: somebody will have it soon.</summary>
    OnItsWay,
}
