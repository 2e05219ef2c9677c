using System.Buffers.Binary;

namespace CoAP.NET.Tests.Diagnostics;

/// <summary>
/// Reads a pcapng file as a program that knows nothing of ours would, and fails for whatever is not as the format wants it.
/// </summary>
internal sealed class PcapngReader
{
    public PcapngReader(byte[] file)
    {
        ReadOnlySpan<byte> rest = file;
        bool isFirst = true;
        while (!rest.IsEmpty)
        {
            uint type = BinaryPrimitives.ReadUInt32LittleEndian(rest);
            int length = BinaryPrimitives.ReadInt32LittleEndian(rest[4..]);
            Assert.Equal(0, length % 4);
            Assert.Equal(length, BinaryPrimitives.ReadInt32LittleEndian(rest[(length - 4)..]));
            Assert.Equal(isFirst, type == 0x0a0d0d0a);
            isFirst = false;
            ReadOnlySpan<byte> body = rest[8..(length - 4)];
            switch (type)
            {
                case 0x0a0d0d0a:
                    Assert.Equal(0x1a2b3c4du, BinaryPrimitives.ReadUInt32LittleEndian(body));
                    Assert.Equal(1, BinaryPrimitives.ReadUInt16LittleEndian(body[4..]));
                    Application = Encoding.UTF8.GetString(Options(body[16..])[4]);
                    break;
                case 1:
                    Assert.Equal(101, BinaryPrimitives.ReadUInt16LittleEndian(body));
                    Dictionary<int, byte[]> options = Options(body[8..]);
                    Assert.Equal([7], options[9]);
                    Interfaces.Add(Encoding.UTF8.GetString(options[2]));
                    break;
                case 5:
                    Dictionary<int, byte[]> statistics = Options(body[12..]);
                    Statistics.Add((BinaryPrimitives.ReadInt32LittleEndian(body), BinaryPrimitives.ReadInt64LittleEndian(statistics[4]),
                        BinaryPrimitives.ReadInt64LittleEndian(statistics[5])));
                    break;
                case 6:
                    ReadPacket(body);
                    break;
                default:
                    Assert.Fail($"block {type}");
                    break;
            }

            rest = rest[length..];
        }
    }

    public string? Application { get; }

    public List<string> Interfaces { get; } = [];

    public List<(int Interface, long Received, long Dropped)> Statistics { get; } = [];

    public List<Packet> Packets { get; } = [];

    private void ReadPacket(ReadOnlySpan<byte> body)
    {
        int captured = BinaryPrimitives.ReadInt32LittleEndian(body[12..]);
        Assert.Equal(captured, BinaryPrimitives.ReadInt32LittleEndian(body[16..]));
        long ticks = ((long)BinaryPrimitives.ReadUInt32LittleEndian(body[4..]) << 32) | BinaryPrimitives.ReadUInt32LittleEndian(body[8..]);
        byte flags = Options(body[(20 + ((captured + 3) & ~3))..])[2][0];
        ReadOnlySpan<byte> packet = body.Slice(20, captured);
        bool isIPv4 = packet[0] >> 4 == 4;
        int head = isIPv4 ? 20 : 40;
        byte protocol = packet[isIPv4 ? 9 : 6];
        ReadOnlySpan<byte> addresses = isIPv4 ? packet[12..20] : packet[8..40];
        if (isIPv4)
        {
            Assert.Equal(packet.Length, BinaryPrimitives.ReadUInt16BigEndian(packet[2..]));
            Assert.Equal(0xffff, Sum(packet[..20]));
        }
        else
        {
            Assert.Equal(packet.Length - 40, BinaryPrimitives.ReadUInt16BigEndian(packet[4..]));
        }

        ReadOnlySpan<byte> segment = packet[head..];
        byte[] pseudo = [.. addresses, 0, protocol, (byte)(segment.Length >> 8), (byte)segment.Length];
        Assert.Equal(0xffff, Sum([.. pseudo, .. segment]));
        Assert.Contains(protocol, new byte[] { 6, 17 });
        int data = protocol == 17 ? 8 : 20;
        Packets.Add(new Packet(
            Interfaces[BinaryPrimitives.ReadInt32LittleEndian(body)],
            DateTimeOffset.UnixEpoch.AddTicks(ticks),
            flags == 1,
            $"{new System.Net.IPAddress(addresses[..(addresses.Length / 2)])}:{BinaryPrimitives.ReadUInt16BigEndian(segment)}",
            $"{new System.Net.IPAddress(addresses[(addresses.Length / 2)..])}:{BinaryPrimitives.ReadUInt16BigEndian(segment[2..])}",
            protocol == 6 ? BinaryPrimitives.ReadUInt32BigEndian(segment[4..]) : null,
            protocol == 6 ? BinaryPrimitives.ReadUInt32BigEndian(segment[8..]) : null,
            Wire.Hex(segment[data..])));
    }

    private static int Sum(ReadOnlySpan<byte> bytes)
    {
        int sum = 0;
        for (int i = 0; i < bytes.Length; i++)
        {
            sum += i % 2 == 0 ? bytes[i] << 8 : bytes[i];
            sum = (sum & 0xffff) + (sum >> 16);
        }

        return sum;
    }

    private static Dictionary<int, byte[]> Options(ReadOnlySpan<byte> rest)
    {
        Dictionary<int, byte[]> options = [];
        while (BinaryPrimitives.ReadUInt16LittleEndian(rest) is var code and not 0)
        {
            int length = BinaryPrimitives.ReadUInt16LittleEndian(rest[2..]);
            options.Add(code, rest.Slice(4, length).ToArray());
            rest = rest[(4 + ((length + 3) & ~3))..];
        }

        Assert.Equal(4, rest.Length);
        return options;
    }

    internal sealed record Packet(string Interface, DateTimeOffset Time, bool IsInbound, string Source, string Destination, uint? Sequence,
        uint? Acknowledgement, string Data);
}
