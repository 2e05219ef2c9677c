using System.Buffers;
using System.Buffers.Binary;
using CoAP.NET.Transports;

namespace CoAP.NET.Cluster;

/// <summary>
/// A datagram on its way between two nodes: the name of the server that it is for, the version of the map by which it was sent, its slot,
/// the address of the client, the node that the client has sent it to where another one relays it, and the datagram.
/// </summary>
internal readonly ref struct RelayItem
{
    // Length of the name, version, what there is, slot, IP address, port and scope.
    private const int FixedLength = 1 + 8 + 1 + 1 + 16 + 2 + 4;
    private const int OriginLength = 16;
    private const byte HasSlot = 1;
    private const byte HasOrigin = 2;

    /// <summary>How long a datagram may be so that it fits into an item, whatever the name.</summary>
    public const int MaxDatagram = LinkBatch.MaxItem - FixedLength - OriginLength - byte.MaxValue;

    /// <summary>The name of the server, in UTF-8.</summary>
    public ReadOnlySpan<byte> Server { get; init; }

    /// <summary>The version of the sender's map.</summary>
    public long Version { get; init; }

    /// <summary>The slot of the datagram; null when it has none, and in answers.</summary>
    public CoapSlot? Slot { get; init; }

    /// <summary>The client.</summary>
    public CoapAddress Remote { get; init; }

    /// <summary>The node that the client has sent it to, and by which answers go; not set where that is the sender.</summary>
    public CoapNodeId Origin { get; init; }

    /// <summary>The datagram.</summary>
    public ReadOnlySpan<byte> Datagram { get; init; }

    /// <summary>Reads one.</summary>
    /// <param name="bytes">What came.</param>
    /// <param name="item">The item.</param>
    /// <returns>False when it is none.</returns>
    public static bool TryRead(ReadOnlySpan<byte> bytes, out RelayItem item)
    {
        item = default;
        if (bytes.Length < FixedLength || bytes.Length < FixedLength + bytes[0])
        {
            return false;
        }

        ReadOnlySpan<byte> name = bytes.Slice(1, bytes[0]);
        ReadOnlySpan<byte> rest = bytes[(1 + name.Length)..];
        ReadOnlySpan<byte> datagram = rest[(FixedLength - 1)..];
        CoapNodeId origin = default;
        if ((rest[8] & HasOrigin) != 0)
        {
            if (datagram.Length < OriginLength)
            {
                return false;
            }

            origin = new CoapNodeId(new Guid(datagram[..OriginLength]));
            datagram = datagram[OriginLength..];
        }

        item = new RelayItem
        {
            Server = name,
            Version = BinaryPrimitives.ReadInt64BigEndian(rest),
            Slot = (rest[8] & HasSlot) != 0 ? new CoapSlot(rest[9]) : null,
            Remote = new CoapAddress(
                BinaryPrimitives.ReadUInt64BigEndian(rest[10..]), BinaryPrimitives.ReadUInt64BigEndian(rest[18..]),
                BinaryPrimitives.ReadUInt16BigEndian(rest[26..]), BinaryPrimitives.ReadUInt32BigEndian(rest[28..])),
            Origin = origin,
            Datagram = datagram,
        };
        return true;
    }

    /// <summary>Sends it.</summary>
    /// <param name="links">The links.</param>
    /// <param name="node">Where to.</param>
    /// <param name="path">What takes it there.</param>
    /// <returns>False when there is no link now, or it is too long.</returns>
    public bool TryPost(ClusterLinks links, CoapNodeId node, string path)
    {
        if (Datagram.Length > MaxDatagram)
        {
            return false;
        }

        int originLength = Origin.IsSet ? OriginLength : 0;
        int length = FixedLength + Server.Length + originLength + Datagram.Length;
        byte[]? rented = length > 2_048 ? ArrayPool<byte>.Shared.Rent(length) : null;
        Span<byte> bytes = (rented ?? stackalloc byte[2_048])[..length];
        bytes[0] = (byte)Server.Length;
        Server.CopyTo(bytes[1..]);
        Span<byte> rest = bytes[(1 + Server.Length)..];
        BinaryPrimitives.WriteInt64BigEndian(rest, Version);
        rest[8] = (byte)((Slot is null ? 0 : HasSlot) | (Origin.IsSet ? HasOrigin : 0));
        rest[9] = Slot?.Number ?? 0;
        Remote.WriteTo(rest[10..]);
        rest = rest[(FixedLength - 1)..];
        if (Origin.IsSet)
        {
            Origin.Value.TryWriteBytes(rest);
        }

        Datagram.CopyTo(rest[originLength..]);
        bool isPosted = links.TryPost(node, path, bytes);
        if (rented is not null)
        {
            ArrayPool<byte>.Shared.Return(rented);
        }

        return isPosted;
    }
}
