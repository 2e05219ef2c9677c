using System.Buffers.Binary;
using System.Net;

namespace CoAP.NET.Cli.Decoding;

/// <summary>Finds the UDP datagram in a captured packet, under its link and IP headers.</summary>
internal static class CapturedPacketParser
{
    private const int Udp = 17;
    private const int UdpHeader = 8;

    /// <summary>Finds the datagram.</summary>
    /// <param name="packet">The captured packet.</param>
    /// <param name="link">The link type (LINKTYPE_...).</param>
    /// <param name="time">The time of the capture.</param>
    /// <returns>The datagram; null if there is none, for a fragment, and if its headers are truncated.</returns>
    public static CapturedPacket? Find(ReadOnlyMemory<byte> packet, int link, DateTimeOffset time)
    {
        int? begin = BeginOf(packet.Span, link);
        if (begin is not { } at || at >= packet.Length)
        {
            return null;
        }

        ReadOnlyMemory<byte> ip = packet[at..];
        return (ip.Span[0] >> 4) switch
        {
            4 => FindIPv4(ip, time),
            6 => FindIPv6(ip, time),
            _ => null,
        };
    }

    // Returns the offset of the IP header.
    private static int? BeginOf(ReadOnlySpan<byte> packet, int link)
    {
        switch (link)
        {
            // Ethernet, with any number of VLAN tags.
            case 1:
                int at = 12;
                while (packet.Length >= at + 6 && BinaryPrimitives.ReadUInt16BigEndian(packet[at..]) is 0x8100 or 0x88a8)
                {
                    at += 4;
                }

                return packet.Length >= at + 2 && BinaryPrimitives.ReadUInt16BigEndian(packet[at..]) is 0x0800 or 0x86dd ? at + 2 : null;

            // BSD loopback.
            case 0 or 108:
                return 4;

            // Raw IP, by the numbers of several systems.
            case 12 or 101 or 228 or 229:
                return 0;

            // Linux "cooked", versions 1 and 2.
            case 113:
                return 16;
            case 276:
                return 20;
            default:
                return null;
        }
    }

    private static CapturedPacket? FindIPv4(ReadOnlyMemory<byte> ip, DateTimeOffset time)
    {
        ReadOnlySpan<byte> bytes = ip.Span;
        int header = (bytes[0] & 0x0f) * 4;
        if (header < 20 || bytes.Length < header + UdpHeader || bytes[9] != Udp
            || (BinaryPrimitives.ReadUInt16BigEndian(bytes[6..]) & 0x3fff) != 0)
        {
            return null;
        }

        return Make(ip[header..], new IPAddress(bytes.Slice(12, 4)), new IPAddress(bytes.Slice(16, 4)), time);
    }

    private static CapturedPacket? FindIPv6(ReadOnlyMemory<byte> ip, DateTimeOffset time)
    {
        ReadOnlySpan<byte> bytes = ip.Span;
        if (bytes.Length < 40)
        {
            return null;
        }

        int next = bytes[6];
        int at = 40;

        // Hop-by-hop options, routing, destination options (RFC 8200 section 4).
        while (next is 0 or 43 or 60 && bytes.Length >= at + 8)
        {
            next = bytes[at];
            at += (bytes[at + 1] + 1) * 8;
        }

        return next == Udp && bytes.Length >= at + UdpHeader
            ? Make(ip[at..], new IPAddress(bytes.Slice(8, 16)), new IPAddress(bytes.Slice(24, 16)), time)
            : null;
    }

    private static CapturedPacket? Make(ReadOnlyMemory<byte> udp, IPAddress source, IPAddress destination, DateTimeOffset time)
    {
        ReadOnlySpan<byte> bytes = udp.Span;
        int length = BinaryPrimitives.ReadUInt16BigEndian(bytes[4..]) - UdpHeader;
        return length < 0 ? null : new CapturedPacket(
            time,
            new IPEndPoint(source, BinaryPrimitives.ReadUInt16BigEndian(bytes)),
            new IPEndPoint(destination, BinaryPrimitives.ReadUInt16BigEndian(bytes[2..])),
            udp.Slice(UdpHeader, Math.Min(length, udp.Length - UdpHeader)),
            length);
    }
}
