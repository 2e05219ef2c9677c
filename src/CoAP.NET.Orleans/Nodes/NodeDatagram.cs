using System.Buffers.Binary;
using System.Net;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Steering;

namespace CoAP.NET.Orleans.Nodes;

/// <summary><see cref="PostedDatagram"/> between silos.</summary>
/// <param name="Server">The name of the server, in UTF-8.</param>
/// <param name="Version">The version of the sender's map.</param>
/// <param name="Slot">The slot of the datagram; null if it has none.</param>
/// <param name="Remote">The client.</param>
/// <param name="Origin">The node at which the client's datagram arrived; all zeros if that is the sender.</param>
/// <param name="Datagram">The datagram.</param>
[GenerateSerializer, Immutable, Alias("coap.node.datagram")]
internal sealed record NodeDatagram(
    [property: Id(0)] ReadOnlyMemory<byte> Server, [property: Id(1)] long Version, [property: Id(2)] byte? Slot,
    [property: Id(3)] NodeIPAddress Remote, [property: Id(4)] Guid Origin, [property: Id(5)] ReadOnlyMemory<byte> Datagram)
{
    public static NodeDatagram Of(PostedDatagram post) =>
        new(post.Server, post.Version, post.Slot?.Number, NodeIPAddress.Of(post.Remote), post.Origin.Value, post.Datagram);

    public PostedDatagram ToPost() =>
        new(Server, Version, Slot is { } slot ? new CoapSlot(slot) : null, Remote.ToAddress(), new CoapNodeId(Origin), Datagram);
}

/// <summary><see cref="CoapAddress"/> between silos.</summary>
/// <param name="High">The upper 8 bytes of the IPv6 address.</param>
/// <param name="Low">The lower 8 bytes of the IPv6 address.</param>
/// <param name="Port">The port.</param>
/// <param name="ScopeId">The IPv6 scope; 0 for none.</param>
[GenerateSerializer, Immutable, Alias("coap.node.ip-address")]
internal readonly record struct NodeIPAddress(
    [property: Id(0)] ulong High, [property: Id(1)] ulong Low, [property: Id(2)] ushort Port, [property: Id(3)] uint ScopeId)
{
    public static NodeIPAddress Of(CoapAddress address)
    {
        Span<byte> bytes = stackalloc byte[16];
        address.ToIPEndPoint().Address.MapToIPv6().TryWriteBytes(bytes, out _);
        return new(BinaryPrimitives.ReadUInt64BigEndian(bytes), BinaryPrimitives.ReadUInt64BigEndian(bytes[8..]),
            address.Port, address.ScopeId);
    }

    public CoapAddress ToAddress()
    {
        Span<byte> bytes = stackalloc byte[16];
        BinaryPrimitives.WriteUInt64BigEndian(bytes, High);
        BinaryPrimitives.WriteUInt64BigEndian(bytes[8..], Low);
        return CoapAddress.FromIPEndPoint(new IPEndPoint(new IPAddress(bytes, ScopeId), Port));
    }
}
