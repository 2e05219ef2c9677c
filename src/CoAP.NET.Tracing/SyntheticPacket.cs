using System.Buffers.Binary;

namespace CoAP.NET.Tracing;

/// <summary>
/// Wraps messages in IP packets, as programs that read captures expect them: the library does not know the headers that the operating
/// system adds.
/// </summary>
internal static class SyntheticPacket
{
    /// <summary>The maximum size of a message part in one packet; longer messages of a connection use several.</summary>
    public const int MaxSegment = 60_000;

    private const byte Udp = 17;
    private const byte Tcp = 6;

    public static byte[] MakeUdp(in CoapAddress source, in CoapAddress destination, ReadOnlySpan<byte> data)
    {
        byte[] packet = MakeIP(source, destination, Udp, 8 + data.Length, out int at);
        Span<byte> udp = packet.AsSpan(at);
        BinaryPrimitives.WriteUInt16BigEndian(udp, source.Port);
        BinaryPrimitives.WriteUInt16BigEndian(udp[2..], destination.Port);
        BinaryPrimitives.WriteUInt16BigEndian(udp[4..], (ushort)(8 + data.Length));
        data.CopyTo(udp[8..]);
        ushort checksum = Checksum(source, destination, Udp, udp);

        // Zero would mean that there is none (RFC 768).
        BinaryPrimitives.WriteUInt16BigEndian(udp[6..], checksum == 0 ? (ushort)0xffff : checksum);
        return packet;
    }

    public static byte[] MakeTcp(in CoapAddress source, in CoapAddress destination, uint sequence, uint acknowledgement,
        ReadOnlySpan<byte> data)
    {
        byte[] packet = MakeIP(source, destination, Tcp, 20 + data.Length, out int at);
        Span<byte> tcp = packet.AsSpan(at);
        BinaryPrimitives.WriteUInt16BigEndian(tcp, source.Port);
        BinaryPrimitives.WriteUInt16BigEndian(tcp[2..], destination.Port);
        BinaryPrimitives.WriteUInt32BigEndian(tcp[4..], sequence);
        BinaryPrimitives.WriteUInt32BigEndian(tcp[8..], acknowledgement);
        tcp[12] = 5 << 4;
        tcp[13] = 0x18; // PSH, ACK
        BinaryPrimitives.WriteUInt16BigEndian(tcp[14..], ushort.MaxValue);
        data.CopyTo(tcp[20..]);
        BinaryPrimitives.WriteUInt16BigEndian(tcp[16..], Checksum(source, destination, Tcp, tcp));
        return packet;
    }

    private static bool IsIPv4(in CoapAddress source, in CoapAddress destination) => source.IsIPv4 || destination.IsIPv4;

    private static byte[] MakeIP(in CoapAddress source, in CoapAddress destination, byte protocol, int length, out int at)
    {
        byte[] packet;
        if (IsIPv4(source, destination))
        {
            at = 20;
            packet = new byte[at + length];
            packet[0] = 0x45;
            BinaryPrimitives.WriteUInt16BigEndian(packet.AsSpan(2), (ushort)packet.Length);
            packet[6] = 0x40; // do not fragment
            packet[8] = 64;
            packet[9] = protocol;
            WriteAddresses(source, destination, packet.AsSpan(12));
            BinaryPrimitives.WriteUInt16BigEndian(packet.AsSpan(10), Fold(Add(packet.AsSpan(0, at))));
        }
        else
        {
            at = 40;
            packet = new byte[at + length];
            packet[0] = 0x60;
            BinaryPrimitives.WriteUInt16BigEndian(packet.AsSpan(4), (ushort)length);
            packet[6] = protocol;
            packet[7] = 64;
            WriteAddresses(source, destination, packet.AsSpan(8));
        }

        return packet;
    }

    // An unknown end is all zeros, in the family of the other.
    private static int WriteAddresses(in CoapAddress source, in CoapAddress destination, Span<byte> to)
    {
        if (IsIPv4(source, destination))
        {
            BinaryPrimitives.WriteUInt32BigEndian(to, source.IsIPv4 ? (uint)source.Low : 0);
            BinaryPrimitives.WriteUInt32BigEndian(to[4..], destination.IsIPv4 ? (uint)destination.Low : 0);
            return 8;
        }

        BinaryPrimitives.WriteUInt64BigEndian(to, source.High);
        BinaryPrimitives.WriteUInt64BigEndian(to[8..], source.Low);
        BinaryPrimitives.WriteUInt64BigEndian(to[16..], destination.High);
        BinaryPrimitives.WriteUInt64BigEndian(to[24..], destination.Low);
        return 32;
    }

    // The pseudo header of RFC 9293 section 3.1, RFC 768 and RFC 8200 section 8.1 adds up to the same for both families.
    private static ushort Checksum(in CoapAddress source, in CoapAddress destination, byte protocol, ReadOnlySpan<byte> segment)
    {
        Span<byte> addresses = stackalloc byte[32];
        int length = WriteAddresses(source, destination, addresses);
        return Fold(Add(addresses[..length]) + protocol + (uint)segment.Length + Add(segment));
    }

    private static ulong Add(ReadOnlySpan<byte> bytes)
    {
        ulong sum = 0;
        for (; bytes.Length >= 2; bytes = bytes[2..])
        {
            sum += BinaryPrimitives.ReadUInt16BigEndian(bytes);
        }

        return bytes.IsEmpty ? sum : sum + ((uint)bytes[0] << 8);
    }

    private static ushort Fold(ulong sum)
    {
        while (sum > 0xffff)
        {
            sum = (sum & 0xffff) + (sum >> 16);
        }

        return (ushort)~sum;
    }
}
