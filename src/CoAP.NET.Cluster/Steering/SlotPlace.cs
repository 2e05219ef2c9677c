namespace CoAP.NET.Cluster;

/// <summary>The place of a slot's sessions.</summary>
internal enum SlotPlace
{
    /// <summary>At this node.</summary>
    Here,

    /// <summary>At another live node.</summary>
    Elsewhere,

    /// <summary>Not loaded here yet, being handed over, or of a dead node: it will soon have an owner.</summary>
    OnItsWay,
}
