using System.Buffers.Binary;
using CoAP.NET.Transports.Loops;

namespace CoAP.NET.Transports.Udp;

/// <summary>
/// The control messages (cmsg) of a datagram: its local address, the number of datagrams that the kernel dropped before it, and ICMP
/// errors.
/// </summary>
internal static unsafe class ControlMessages
{
    /// <summary>
    /// Room for the control messages of a received datagram: packet information of both IP versions and the drop counter.
    /// </summary>
    public const int ReceiveSize = 128;

    /// <summary>Room for a source address, or interface and hop limit.</summary>
    public const int SendSize = 64;

    private const int IPv6SourceSize = 40;

    private const int HeaderSize = 16;

    /// <summary>Iterates over the control messages.</summary>
    /// <param name="control">The first.</param>
    /// <param name="length">The length of all.</param>
    /// <param name="offset">The position of the next one; 0 at first.</param>
    /// <param name="level">Its level.</param>
    /// <param name="type">Its type.</param>
    /// <param name="data">Its data.</param>
    /// <param name="dataLength">The length of its data.</param>
    /// <returns>Whether there was one.</returns>
    public static bool TryNext(byte* control, int length, ref int offset, out int level, out int type, out byte* data, out int dataLength)
    {
        level = type = dataLength = 0;
        data = null;
        if (offset + HeaderSize > length)
        {
            return false;
        }

        byte* at = control + offset;
        long size = *(long*)at;
        if (size < HeaderSize || size > length - offset)
        {
            return false;
        }

        level = *(int*)(at + 8);
        type = *(int*)(at + 12);
        data = at + HeaderSize;
        dataLength = (int)size - HeaderSize;
        offset += (int)((size + 7) & ~7L);
        return true;
    }

    /// <summary>Reads the local address from packet information; a group is reported as itself.</summary>
    public static bool TryReadLocal(int level, int type, byte* data, int length, ushort port, out CoapAddress local)
    {
        if (level == LibC.SolIP && type == LibC.IPPacketInfo && length >= 12)
        {
            // ipi_addr is the destination in the header, ipi_spec_dst the corresponding local address.
            uint destination = BinaryPrimitives.ReadUInt32BigEndian(new ReadOnlySpan<byte>(data + 8, 4));
            uint own = BinaryPrimitives.ReadUInt32BigEndian(new ReadOnlySpan<byte>(data + 4, 4));
            local = CoapAddress.FromIPv4(destination >> 28 == 0xe || own == 0 ? destination : own, port);
            return true;
        }

        if (level == LibC.SolIPv6 && type == LibC.IPv6PacketInfo && length >= 20)
        {
            ulong high = BinaryPrimitives.ReadUInt64BigEndian(new ReadOnlySpan<byte>(data, 8));
            ulong low = BinaryPrimitives.ReadUInt64BigEndian(new ReadOnlySpan<byte>(data + 8, 8));
            local = new CoapAddress(high, low, port, SockaddrConverter.NeedsScope(high) ? *(uint*)(data + 16) : 0);
            return true;
        }

        local = default;
        return false;
    }

    /// <summary>Writes the source address of a datagram.</summary>
    /// <param name="control">Room for <see cref="SendSize"/> bytes.</param>
    /// <param name="local">The address; not the wildcard, not a group.</param>
    /// <param name="ipv6">Whether the socket is an IPv6 one; it takes IPv4 addresses in their mapped form.</param>
    /// <returns>The length.</returns>
    public static int WriteSource(byte* control, in CoapAddress local, bool ipv6)
    {
        if (!ipv6)
        {
            *(long*)control = HeaderSize + 12;
            *(int*)(control + 8) = LibC.SolIP;
            *(int*)(control + 12) = LibC.IPPacketInfo;
            *(uint*)(control + 16) = 0;
            BinaryPrimitives.WriteUInt32BigEndian(new Span<byte>(control + 20, 4), (uint)local.Low);
            *(uint*)(control + 24) = 0;
            *(uint*)(control + 28) = 0;
            return 32;
        }

        *(long*)control = HeaderSize + 20;
        *(int*)(control + 8) = LibC.SolIPv6;
        *(int*)(control + 12) = LibC.IPv6PacketInfo;
        BinaryPrimitives.WriteUInt64BigEndian(new Span<byte>(control + 16, 8), local.High);
        BinaryPrimitives.WriteUInt64BigEndian(new Span<byte>(control + 24, 8), local.Low);
        *(uint*)(control + 32) = local.ScopeId;
        *(uint*)(control + 36) = 0;
        return IPv6SourceSize;
    }

    /// <summary>Writes the interface and hop limit of a datagram to a group.</summary>
    /// <param name="control">Room for <see cref="SendSize"/> bytes.</param>
    /// <param name="group">The group; its scope is the interface, 0 for that of the routes.</param>
    /// <param name="hopLimit">The hop limit; 0 for the default.</param>
    /// <returns>The length; 0 when nothing must be set.</returns>
    public static int WriteGroup(byte* control, in CoapAddress group, byte hopLimit)
    {
        // Those of IPv4 work on dual-mode sockets too.
        bool ipv6 = !group.IsIPv4;
        int length = 0;
        if (group.ScopeId != 0)
        {
            int size = ipv6 ? 20 : 12;
            WriteHeader(control, size, ipv6 ? LibC.SolIPv6 : LibC.SolIP, ipv6 ? LibC.IPv6PacketInfo : LibC.IPPacketInfo);
            new Span<byte>(control + HeaderSize, 24).Clear();
            *(uint*)(control + HeaderSize + (ipv6 ? 16 : 0)) = group.ScopeId;
            length = HeaderSize + ((size + 7) & ~7);
        }

        if (hopLimit != 0)
        {
            WriteHeader(control + length, sizeof(int), ipv6 ? LibC.SolIPv6 : LibC.SolIP, ipv6 ? LibC.IPv6HopLimit : LibC.IPTimeToLive);
            *(long*)(control + length + HeaderSize) = hopLimit;
            length += HeaderSize + 8;
        }

        return length;
    }

    private static void WriteHeader(byte* at, int size, int level, int type)
    {
        *(long*)at = HeaderSize + size;
        *(int*)(at + 8) = level;
        *(int*)(at + 12) = type;
    }
}
