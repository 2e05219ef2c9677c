using System.Buffers;
using System.Buffers.Binary;
using CoAP.NET.Dtls;
using CoAP.NET.Transports;

namespace CoAP.NET.Cluster;

/// <summary>
/// A datagram on its way between two nodes: the name of the server that it is for, the version of the map by which it was sent, its slot,
/// the address of the client, the node that the client has sent it to where another one relays it, and the datagram.
/// </summary>
internal readonly ref struct RelayItem
{
    // Version, what there is, slot, IP address, port and scope.
    private const int HeadLength = 8 + 1 + 1 + CoapAddress.BinaryLength;
    private const int OriginLength = 16;
    private const byte HasSlot = 1;
    private const byte HasOrigin = 2;

    // With the length of the name before it.
    private const int FixedLength = 1 + HeadLength;

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
        return TryRead(name, bytes[(1 + name.Length)..], out item);
    }

    /// <summary>Reads one without a name.</summary>
    /// <param name="server">The name of the server.</param>
    /// <param name="bytes">What came.</param>
    /// <param name="item">The item; its datagram is the end of what came.</param>
    /// <returns>False when it is none.</returns>
    public static bool TryRead(ReadOnlySpan<byte> server, ReadOnlySpan<byte> bytes, out RelayItem item)
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

        item = new RelayItem
        {
            Server = server,
            Version = BinaryPrimitives.ReadInt64BigEndian(bytes),
            Slot = (bytes[8] & HasSlot) != 0 ? new CoapSlot(bytes[9]) : null,
            Remote = ReadAddress(bytes[10..]),
            Origin = origin,
            Datagram = datagram,
        };
        return true;
    }

    /// <summary>Reads what <see cref="CoapAddress.WriteTo"/> wrote.</summary>
    public static CoapAddress ReadAddress(ReadOnlySpan<byte> bytes) => new(
        BinaryPrimitives.ReadUInt64BigEndian(bytes), BinaryPrimitives.ReadUInt64BigEndian(bytes[8..]),
        BinaryPrimitives.ReadUInt16BigEndian(bytes[16..]), BinaryPrimitives.ReadUInt32BigEndian(bytes[18..]));

    /// <summary>Sends it by UDP.</summary>
    /// <param name="way">The way to the node.</param>
    /// <param name="kind">Whom it is for.</param>
    /// <param name="port">Where it leaves.</param>
    /// <returns>False when it is too long for that, or cannot be sent now.</returns>
    public bool TrySend(RelayWay way, RelayKind kind, CoapDtlsSteeringPort? port)
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

        int length = 1 + Server.Length + BodyLength;
        byte[]? rented = length > 2_048 ? ArrayPool<byte>.Shared.Rent(length) : null;
        Span<byte> bytes = (rented ?? stackalloc byte[2_048])[..length];
        bytes[0] = (byte)Server.Length;
        Server.CopyTo(bytes[1..]);
        WriteTo(bytes[(1 + Server.Length)..]);
        bool isPosted = links.TryPost(node, path, bytes);
        if (rented is not null)
        {
            ArrayPool<byte>.Shared.Return(rented);
        }

        return isPosted;
    }

    // Without the name, as the next one.
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
