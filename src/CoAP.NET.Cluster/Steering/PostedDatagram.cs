using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Nodes;

namespace CoAP.NET.Cluster.Steering;

/// <summary>A <see cref="RelayedDatagram"/> as a post between nodes (<see cref="NodePeer"/>). Immutable.</summary>
/// <param name="Server">The name of the server, in UTF-8.</param>
/// <param name="Version">The version of the sender's map.</param>
/// <param name="Slot">The slot of the datagram; null if it has none, and in answers.</param>
/// <param name="Remote">The client.</param>
/// <param name="Origin">The node at which the client's datagram arrived; unset if that is the sender.</param>
/// <param name="Datagram">The datagram.</param>
internal sealed record PostedDatagram(
    ReadOnlyMemory<byte> Server, long Version, CoapSlot? Slot, CoapAddress Remote, CoapNodeId Origin, ReadOnlyMemory<byte> Datagram)
{
    /// <summary>The maximum length of a datagram in bytes.</summary>
    public const int MaxDatagram = ushort.MaxValue;

    public RelayedDatagram AsRelayed() => new()
    {
        Server = Server.Span,
        Version = Version,
        Slot = Slot,
        Remote = Remote,
        Origin = Origin,
        Datagram = Datagram.Span,
    };
}
