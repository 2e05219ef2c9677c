using System.Buffers;
using System.Buffers.Binary;
using System.Text;

namespace CoAP.NET.Tracing;

/// <summary>The blocks of a pcapng file (IETF draft-ietf-opsawg-pcapng): little-endian, times in units of 100 ns since 1970.</summary>
internal static class PcapngBlocks
{
    /// <summary>Packets that begin with the header of IPv4 or IPv6 (LINKTYPE_RAW).</summary>
    public const ushort LinkTypeRaw = 101;

    public const uint SectionHeader = 0x0a0d0d0a;
    public const uint InterfaceDescription = 1;
    public const uint InterfaceStatistics = 5;
    public const uint EnhancedPacket = 6;
    public const uint ByteOrder = 0x1a2b3c4d;

    public static void WriteSectionHeader(IBufferWriter<byte> output, string application)
    {
        Block block = new(SectionHeader);
        block.Add32(ByteOrder);
        block.Add16(1);
        block.Add16(0);
        block.Add64(ulong.MaxValue);
        block.AddOption(4, Encoding.UTF8.GetBytes(application));
        block.End(output);
    }

    public static void WriteInterface(IBufferWriter<byte> output, string name, string description)
    {
        Block block = new(InterfaceDescription);
        block.Add16(LinkTypeRaw);
        block.Add16(0);
        block.Add32(0);
        block.AddOption(2, Encoding.UTF8.GetBytes(name));
        block.AddOption(3, Encoding.UTF8.GetBytes(description));
        block.AddOption(9, [7]);
        block.End(output);
    }

    public static void WritePacket(IBufferWriter<byte> output, int @interface, long time, ReadOnlySpan<byte> packet, bool isInbound)
    {
        Block block = new(EnhancedPacket);
        block.Add32((uint)@interface);
        block.AddTime(time);
        block.Add32((uint)packet.Length);
        block.Add32((uint)packet.Length);
        block.AddPadded(packet);
        block.AddOption(2, [isInbound ? (byte)1 : (byte)2, 0, 0, 0]);
        block.End(output);
    }

    public static void WriteStatistics(IBufferWriter<byte> output, int @interface, long time, long received, long dropped)
    {
        Block block = new(InterfaceStatistics);
        block.Add32((uint)@interface);
        block.AddTime(time);
        Span<byte> number = stackalloc byte[8];
        BinaryPrimitives.WriteInt64LittleEndian(number, received);
        block.AddOption(4, number);
        BinaryPrimitives.WriteInt64LittleEndian(number, dropped);
        block.AddOption(5, number);
        block.End(output);
    }

    private readonly struct Block(uint type)
    {
        private readonly ArrayBufferWriter<byte> _body = new();

        public void Add16(ushort value)
        {
            BinaryPrimitives.WriteUInt16LittleEndian(_body.GetSpan(2), value);
            _body.Advance(2);
        }

        public void Add32(uint value)
        {
            BinaryPrimitives.WriteUInt32LittleEndian(_body.GetSpan(4), value);
            _body.Advance(4);
        }

        public void Add64(ulong value)
        {
            BinaryPrimitives.WriteUInt64LittleEndian(_body.GetSpan(8), value);
            _body.Advance(8);
        }

        public void AddTime(long time)
        {
            Add32((uint)(time >> 32));
            Add32((uint)time);
        }

        public void AddPadded(ReadOnlySpan<byte> bytes)
        {
            _body.Write(bytes);
            _body.Write(stackalloc byte[-bytes.Length & 3]);
        }

        public void AddOption(ushort code, ReadOnlySpan<byte> value)
        {
            Add16(code);
            Add16((ushort)value.Length);
            AddPadded(value);
        }

        public void End(IBufferWriter<byte> output)
        {
            Add32(0); // the end of the options
            uint length = (uint)_body.WrittenCount + 12;
            Span<byte> span = output.GetSpan((int)length);
            BinaryPrimitives.WriteUInt32LittleEndian(span, type);
            BinaryPrimitives.WriteUInt32LittleEndian(span[4..], length);
            _body.WrittenSpan.CopyTo(span[8..]);
            BinaryPrimitives.WriteUInt32LittleEndian(span[((int)length - 4)..], length);
            output.Advance((int)length);
        }
    }
}
