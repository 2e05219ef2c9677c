namespace CoAP.NET.Mesh;

/// <summary>An item of the mesh that knows its connection. Items of a connection are never dropped; they wait.</summary>
internal interface IReadPausingItem
{
    /// <summary>Pauses the connection of the item while no block accepts it.</summary>
    ReadPause ReadPause { get; }
}
