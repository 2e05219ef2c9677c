namespace CoAP.NET.Mesh;

/// <summary>An item of the mesh that says where it comes from or goes to. Nothing of a connection is dropped; it waits.</summary>
internal interface IPausableItem
{
    /// <summary>What holds up its connection while nobody takes the item.</summary>
    ReadingHold Hold { get; }
}
