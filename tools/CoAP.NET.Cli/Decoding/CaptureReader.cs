using System.Buffers.Binary;

namespace CoAP.NET.Cli.Decoding;

/// <summary>
/// Reads the packets of capture files: pcap, with micro- and nanoseconds, and pcapng (draft-ietf-opsawg-pcap, draft-ietf-opsawg-pcapng). It
/// reads a damaged file up to the damage.
/// </summary>
internal sealed class CaptureReader(ReadOnlyMemory<byte> file)
{
    private const uint SectionHeader = 0x0a0d0d0a;
    private const uint ByteOrder = 0x1a2b3c4d;
    private const int PcapHeader = 24;
    private const int RecordHeader = 16;

    // The link type and the time units per second of each interface in a pcapng section.
    private readonly List<(int Link, long Units)> _interfaces = [];
    private bool _isBigEndian;

    /// <summary>Why reading ended early; null if it did not.</summary>
    public string? Fault { get; private set; }

    /// <summary>Whether a file is a capture, by its first four bytes.</summary>
    public static bool IsCapture(ReadOnlySpan<byte> bytes) => bytes.Length >= PcapHeader
        && BinaryPrimitives.ReadUInt32BigEndian(bytes) is 0xa1b2c3d4 or 0xd4c3b2a1 or 0xa1b23c4d or 0x4d3cb2a1 or SectionHeader;

    /// <summary>Reads the UDP datagrams in order, without fragments and other protocols.</summary>
    public IEnumerable<CapturedPacket> Read() => UInt32(0, isBigEndian: true) == SectionHeader ? ReadBlocks() : ReadRecords();

    private IEnumerable<CapturedPacket> ReadRecords()
    {
        _isBigEndian = UInt32(0, isBigEndian: true) is 0xa1b2c3d4 or 0xa1b23c4d;
        long units = UInt32(0) == 0xa1b23c4d ? 1_000_000_000 : 1_000_000;
        int link = (int)(UInt32(20) & 0x0fff_ffff);
        for (int at = PcapHeader; at < file.Length;)
        {
            if (file.Length - at < RecordHeader || UInt32(at + 8) > file.Length - at - RecordHeader)
            {
                Fault = $"it ends within the packet at byte {at}.";
                yield break;
            }

            int length = (int)UInt32(at + 8);
            ulong time = (UInt32(at) * (ulong)units) + UInt32(at + 4);
            if (CapturedPacketParser.Find(file.Slice(at + RecordHeader, length), link, TimeOf(time, units)) is { } packet)
            {
                yield return packet;
            }

            at += RecordHeader + length;
        }
    }

    private IEnumerable<CapturedPacket> ReadBlocks()
    {
        for (int at = 0; at < file.Length;)
        {
            if (file.Length - at < 12)
            {
                Fault = $"it ends within the block at byte {at}.";
                yield break;
            }

            if (UInt32(at, isBigEndian: true) == SectionHeader)
            {
                _isBigEndian = UInt32(at + 8, isBigEndian: true) == ByteOrder;
                _interfaces.Clear();
            }

            uint length = UInt32(at + 4);
            if (length < 12 || length % 4 != 0 || length > file.Length - at)
            {
                Fault = $"the block at byte {at} has an impossible length.";
                yield break;
            }

            ReadOnlyMemory<byte> body = file.Slice(at + 8, (int)length - 12);
            switch (UInt32(at))
            {
                case 1 when body.Length >= 8:
                    _interfaces.Add((UInt16(at + 8), UnitsOf(at + 16, at + (int)length - 4)));
                    break;
                case 6 when body.Length >= 20 && UInt32(at + 8) < _interfaces.Count && UInt32(at + 20) <= body.Length - 20:
                    (int link, long units) = _interfaces[(int)UInt32(at + 8)];
                    ulong time = ((ulong)UInt32(at + 12) << 32) | UInt32(at + 16);
                    if (CapturedPacketParser.Find(body.Slice(20, (int)UInt32(at + 20)), link, TimeOf(time, units)) is { } packet)
                    {
                        yield return packet;
                    }

                    break;
                default:
                    break;
            }

            at += (int)length;
        }
    }

    // The option if_tsresol (9): a power of ten, or of two if its first bit is set. Default: microseconds.
    private long UnitsOf(int at, int end)
    {
        while (at + 4 <= end && UInt16(at) != 0)
        {
            int length = UInt16(at + 2);
            if (UInt16(at) == 9 && length == 1 && at + 4 < end)
            {
                int exponent = file.Span[at + 4] & 0x7f;
                return (file.Span[at + 4] & 0x80) != 0 ? 1L << Math.Min(exponent, 62) : (long)Math.Pow(10, Math.Min(exponent, 18));
            }

            at += 4 + ((length + 3) & ~3);
        }

        return 1_000_000;
    }

    private static DateTimeOffset TimeOf(ulong time, long units)
    {
        UInt128 ticks = (UInt128)time * TimeSpan.TicksPerSecond / (ulong)units;
        return ticks < (ulong)(DateTimeOffset.MaxValue.Ticks - DateTimeOffset.UnixEpoch.Ticks)
            ? DateTimeOffset.UnixEpoch.AddTicks((long)ticks)
            : DateTimeOffset.UnixEpoch;
    }

    private uint UInt32(int at) => UInt32(at, _isBigEndian);

    private uint UInt32(int at, bool isBigEndian)
    {
        ReadOnlySpan<byte> bytes = file.Span.Slice(at, 4);
        return isBigEndian ? BinaryPrimitives.ReadUInt32BigEndian(bytes) : BinaryPrimitives.ReadUInt32LittleEndian(bytes);
    }

    private int UInt16(int at)
    {
        ReadOnlySpan<byte> bytes = file.Span.Slice(at, 2);
        return _isBigEndian ? BinaryPrimitives.ReadUInt16BigEndian(bytes) : BinaryPrimitives.ReadUInt16LittleEndian(bytes);
    }
}
