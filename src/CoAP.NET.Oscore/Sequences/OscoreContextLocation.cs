namespace CoAP.NET.Oscore.Sequences;

/// <summary>Whether this node may use a context (<see cref="IOscoreContextLocator"/>).</summary>
internal enum OscoreContextLocation
{
    Here,

    /// <summary>Nowhere before it is opened again, at this node or another one.</summary>
    Closed,

    /// <summary>Unknown for a moment: its slot moves, or this node has stood still. Its requests get no answer meanwhile.</summary>
    Unknown,
}
