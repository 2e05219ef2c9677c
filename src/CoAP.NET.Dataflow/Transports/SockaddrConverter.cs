using System.Buffers.Binary;
using System.Runtime.InteropServices;

namespace CoAP.NET.Transports;

/// <summary>
/// Converts between <see cref="CoapAddress"/> and the bytes of sockaddr_in and sockaddr_in6, which have the same layout on all systems from
/// the port on.
/// </summary>
internal static class SockaddrConverter
{
    public const int IPv4Size = 16;
    public const int IPv6Size = 28;

    /// <summary>Writes port and address, and for IPv6 flow label 0 and scope; the caller writes the family at the front.</summary>
    /// <param name="destination">A whole sockaddr, at least <see cref="IPv6Size"/> bytes for IPv6.</param>
    /// <param name="address">The address.</param>
    /// <param name="ipv6">Whether to write a sockaddr_in6; an IPv4 address is then written in its mapped form.</param>
    /// <returns>The length.</returns>
    public static int Write(Span<byte> destination, in CoapAddress address, bool ipv6)
    {
        BinaryPrimitives.WriteUInt16BigEndian(destination[2..], address.Port);
        if (!ipv6)
        {
            BinaryPrimitives.WriteUInt32BigEndian(destination[4..], (uint)address.Low);
            destination[8..IPv4Size].Clear();
            return IPv4Size;
        }

        BinaryPrimitives.WriteUInt32BigEndian(destination[4..], 0);
        BinaryPrimitives.WriteUInt64BigEndian(destination[8..], address.High);
        BinaryPrimitives.WriteUInt64BigEndian(destination[16..], address.Low);
        uint scope = address.ScopeId;
        MemoryMarshal.Write(destination[24..], in scope);
        return IPv6Size;
    }

    /// <summary>Reads a sockaddr.</summary>
    /// <param name="source">The sockaddr.</param>
    /// <param name="ipv6">Whether it is a sockaddr_in6.</param>
    /// <returns>The address.</returns>
    public static CoapAddress Read(ReadOnlySpan<byte> source, bool ipv6)
    {
        ushort port = BinaryPrimitives.ReadUInt16BigEndian(source[2..]);
        return ipv6
            ? new CoapAddress(BinaryPrimitives.ReadUInt64BigEndian(source[8..]), BinaryPrimitives.ReadUInt64BigEndian(source[16..]), port,
                MemoryMarshal.Read<uint>(source[24..]))
            : CoapAddress.FromIPv4(BinaryPrimitives.ReadUInt32BigEndian(source[4..]), port);
    }

    /// <summary>Whether an IPv6 address is meaningful only with an interface: link-local unicast, and groups up to link scope.</summary>
    public static bool NeedsScope(ulong high) => high >> 54 == 0xfe80 >> 6 || (high >> 56 == 0xff && ((high >> 48) & 0xf) <= 2);
}
