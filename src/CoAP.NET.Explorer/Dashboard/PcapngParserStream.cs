using System.Buffers.Binary;
using System.Net;
using System.Text;
using CoAP.NET.Explorer.Decoding;
using CoAP.NET.Tracing;

namespace CoAP.NET.Explorer.Dashboard;

/// <summary>
/// Receives the output of <see cref="CoapPacketTraceExtensions.TraceTo"/>, extracts the messages and passes them on. It only reads the
/// pcapng of this library, which arrives in whole blocks.
/// </summary>
internal sealed class PcapngParserStream(PeerTrace trace) : Stream
{
    private const uint InterfaceDescription = 1;
    private const uint EnhancedPacket = 6;
    private const int NameOption = 2;
    private const int FlagsOption = 2;
    private const int Tcp = 6;
    private const int UdpHeader = 8;
    private const int TcpHeader = 20;

    private static readonly CoapStreamSerializer s_stream = new(new CoapSerializerOptions { MaxMessageSize = 1L << 32 });

    private readonly List<string> _schemes = [];

    // The beginning of a message that takes several packets, for each direction of a connection.
    private readonly Dictionary<(IPEndPoint From, IPEndPoint To), byte[]> _begun = [];

    public override bool CanRead => false;

    public override bool CanSeek => false;

    public override bool CanWrite => true;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    public override void Flush()
    {
    }

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => Write(buffer.AsSpan(offset, count));

    public override void Write(ReadOnlySpan<byte> buffer)
    {
        while (buffer.Length >= 12)
        {
            int length = (int)BinaryPrimitives.ReadUInt32LittleEndian(buffer[4..]);
            ReadOnlySpan<byte> body = buffer[8..(length - 4)];
            switch (BinaryPrimitives.ReadUInt32LittleEndian(buffer))
            {
                case InterfaceDescription:
                    _schemes.Add(Encoding.UTF8.GetString(OptionOf(body[8..], NameOption)));
                    break;
                case EnhancedPacket:
                    ReadPacket(body);
                    break;
                default:
                    break;
            }

            buffer = buffer[length..];
        }
    }

    public override Task WriteAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken)
    {
        Write(buffer.AsSpan(offset, count));
        return Task.CompletedTask;
    }

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        Write(buffer.Span);
        return ValueTask.CompletedTask;
    }

    private static ReadOnlySpan<byte> OptionOf(ReadOnlySpan<byte> options, int code)
    {
        while (options.Length >= 4)
        {
            int length = BinaryPrimitives.ReadUInt16LittleEndian(options[2..]);
            if (BinaryPrimitives.ReadUInt16LittleEndian(options) == code)
            {
                return options.Slice(4, length);
            }

            options = options[(4 + ((length + 3) & ~3))..];
        }

        return [];
    }

    private void ReadPacket(ReadOnlySpan<byte> body)
    {
        string scheme = _schemes[(int)BinaryPrimitives.ReadUInt32LittleEndian(body)];
        long ticks = ((long)BinaryPrimitives.ReadUInt32LittleEndian(body[4..]) << 32) | BinaryPrimitives.ReadUInt32LittleEndian(body[8..]);
        int length = (int)BinaryPrimitives.ReadUInt32LittleEndian(body[12..]);
        bool isInbound = OptionOf(body[(20 + ((length + 3) & ~3))..], FlagsOption) is [1, ..];
        ReadOnlySpan<byte> packet = body.Slice(20, length);
        bool isIPv4 = packet[0] >> 4 == 4;
        int size = isIPv4 ? 4 : 16;
        int addresses = isIPv4 ? 12 : 8;
        ReadOnlySpan<byte> data = packet[(addresses + (2 * size))..];
        IPEndPoint from = new(new IPAddress(packet.Slice(addresses, size)), BinaryPrimitives.ReadUInt16BigEndian(data));
        IPEndPoint to = new(new IPAddress(packet.Slice(addresses + size, size)), BinaryPrimitives.ReadUInt16BigEndian(data[2..]));
        TracedPacket traced = new(DateTimeOffset.UnixEpoch.AddTicks(ticks), scheme, isInbound ? from : to, isInbound);
        if (packet[isIPv4 ? 9 : 6] != Tcp)
        {
            trace.See(traced, data[UdpHeader..].ToArray(), WireFormat.Datagram);
            return;
        }

        ReadSegment(traced, (from, to), data[TcpHeader..]);
    }

    private void ReadSegment(TracedPacket traced, (IPEndPoint From, IPEndPoint To) direction, ReadOnlySpan<byte> data)
    {
        byte[] all = _begun.Remove(direction, out byte[]? begun) ? [.. begun, .. data] : data.ToArray();
        ReadOnlyMemory<byte> rest = all;
        while (s_stream.TryMeasure(rest.Span, out long length) && length <= rest.Length)
        {
            trace.See(traced, rest[..(int)length], WireFormat.Stream);
            rest = rest[(int)length..];
        }

        if (!rest.IsEmpty)
        {
            _begun[direction] = rest.ToArray();
        }
    }
}

/// <summary>The circumstances of a traced message.</summary>
internal sealed record TracedPacket(DateTimeOffset Time, string Scheme, IPEndPoint Peer, bool IsInbound);
