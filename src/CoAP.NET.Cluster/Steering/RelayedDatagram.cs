using System.Buffers.Binary;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Nodes;
using CoAP.NET.Dtls.Steering;

namespace CoAP.NET.Cluster.Steering;

/// <summary>
/// A datagram on its way between two nodes: the name of the server, the version of the sender's map, the slot, the address of the client,
/// the node at which the client's datagram arrived if another one relays it, and the datagram.
/// </summary>
internal readonly ref struct RelayedDatagram
{
    // Version, flags, slot, IP address, port and scope.
    private const int HeadLength = 8 + 1 + 1 + CoapAddress.BinaryLength;
    private const int OriginLength = 16;
    private const byte HasSlot = 1;
    private const byte HasOrigin = 2;

    /// <summary>The name of the server, in UTF-8.</summary>
    public ReadOnlySpan<byte> Server { get; init; }

    /// <summary>The version of the sender's map.</summary>
    public long Version { get; init; }

    /// <summary>The slot of the datagram; null if it has none, and in answers.</summary>
    public CoapSlot? Slot { get; init; }

    /// <summary>The client.</summary>
    public CoapAddress Remote { get; init; }

    /// <summary>The node at which the client's datagram arrived, which also sends the answers; unset if that is the sender.</summary>
    public CoapNodeId Origin { get; init; }

    public ReadOnlySpan<byte> Datagram { get; init; }

    /// <summary>Reads an item from a packet.</summary>
    /// <param name="server">The name of the server.</param>
    /// <param name="bytes">The received bytes.</param>
    /// <param name="item">The item; its datagram is the end of the bytes.</param>
    /// <returns>False for invalid bytes.</returns>
    public static bool TryRead(ReadOnlySpan<byte> server, ReadOnlySpan<byte> bytes, out RelayedDatagram item)
    {
        item = default;
        if (bytes.Length < HeadLength)
        {
            return false;
        }

        ReadOnlySpan<byte> datagram = bytes[HeadLength..];
        CoapNodeId origin = default;
        if ((bytes[8] & HasOrigin) != 0)
        {
            if (datagram.Length < OriginLength)
            {
                return false;
            }

            origin = new CoapNodeId(new Guid(datagram[..OriginLength]));
            datagram = datagram[OriginLength..];
        }

        item = new RelayedDatagram
        {
            Server = server,
            Version = BinaryPrimitives.ReadInt64BigEndian(bytes),
            Slot = (bytes[8] & HasSlot) != 0 ? new CoapSlot(bytes[9]) : null,
            Remote = new CoapAddress(
                BinaryPrimitives.ReadUInt64BigEndian(bytes[10..]), BinaryPrimitives.ReadUInt64BigEndian(bytes[18..]),
                BinaryPrimitives.ReadUInt16BigEndian(bytes[26..]), BinaryPrimitives.ReadUInt32BigEndian(bytes[28..])),
            Origin = origin,
            Datagram = datagram,
        };
        return true;
    }

    /// <summary>Sends the item over UDP.</summary>
    /// <returns>False if it is too long for a packet, or cannot be sent now.</returns>
    public bool TrySend(NodeRelayConnection way, RelayKind kind, CoapDtlsSteeringContext? port)
    {
        int length = RelayRecord.Overhead + BodyLength;
        if (port is null || length > RelayRecord.MaxLength)
        {
            return false;
        }

        Span<byte> record = stackalloc byte[RelayRecord.MaxLength];
        record = record[..length];
        WriteTo(RelayRecord.ContentOf(record));
        return way.TrySeal(kind, record) && port.Send(way.To, record);
    }

    /// <summary>Sends the item as a post.</summary>
    /// <param name="posts">The posts to the node; null if it is not live.</param>
    /// <returns>False if the node is not live, or the item is too long.</returns>
    public bool TryPost(NodePostLine<PostedDatagram>? posts) => Datagram.Length <= PostedDatagram.MaxDatagram
        && posts?.TryPost(new PostedDatagram(Server.ToArray(), Version, Slot, Remote, Origin, Datagram.ToArray())) == true;

    private int BodyLength => HeadLength + (Origin.IsSet ? OriginLength : 0) + Datagram.Length;

    private void WriteTo(Span<byte> bytes)
    {
        BinaryPrimitives.WriteInt64BigEndian(bytes, Version);
        bytes[8] = (byte)((Slot is null ? 0 : HasSlot) | (Origin.IsSet ? HasOrigin : 0));
        bytes[9] = Slot?.Number ?? 0;
        Remote.WriteTo(bytes[10..]);
        bytes = bytes[HeadLength..];
        if (Origin.IsSet)
        {
            Origin.Value.TryWriteBytes(bytes);
            bytes = bytes[OriginLength..];
        }

        Datagram.CopyTo(bytes);
    }
}
