using System.Buffers;

namespace CoAP.NET.Tracing;

/// <summary>
/// Converts messages to the packets of a trace. It tracks the position of each direction of connections, so that a reader can reassemble
/// the stream. One thread at a time.
/// </summary>
internal sealed class TracePacketWriter
{
    private const int MaxStreams = 4096;

    private readonly Dictionary<(CoapAddress Remote, CoapAddress Local), (uint In, uint Out)> _streams = [];

    public static void Begin(IBufferWriter<byte> output) =>
        PcapngBlocks.WriteSectionHeader(output, $"{CoapTelemetry.MeterName} {CoapTelemetry.Version}");

    public void Write(IBufferWriter<byte> output, in TracedMessage message)
    {
        (CoapAddress source, CoapAddress destination) = message.IsInbound
            ? (message.Remote, message.Local)
            : (message.Local, message.Remote);
        if (!message.IsStream)
        {
            PcapngBlocks.WritePacket(output, message.Interface, message.Time, SyntheticPacket.MakeUdp(source, destination, message.Bytes),
                message.IsInbound);
            return;
        }

        if (_streams.Count >= MaxStreams)
        {
            // Continuing connections restart at 1, which a reader treats as a new connection of the same ends.
            _streams.Clear();
        }

        (CoapAddress, CoapAddress) key = (message.Remote, message.Local);
        (uint next, uint other) = _streams.TryGetValue(key, out (uint In, uint Out) at)
            ? (message.IsInbound ? (at.In, at.Out) : (at.Out, at.In))
            : (1, 1);
        ReadOnlySpan<byte> rest = message.Bytes;
        do
        {
            ReadOnlySpan<byte> segment = rest[..Math.Min(rest.Length, SyntheticPacket.MaxSegment)];
            PcapngBlocks.WritePacket(output, message.Interface, message.Time,
                SyntheticPacket.MakeTcp(source, destination, next, other, segment), message.IsInbound);
            next = unchecked(next + (uint)segment.Length);
            rest = rest[segment.Length..];
        }
        while (!rest.IsEmpty);

        _streams[key] = message.IsInbound ? (next, other) : (other, next);
    }

    /// <summary>
    /// Returns a frame as it would be on TCP. On WebSockets Len is 0, because the WebSocket frame has the length (RFC 8323 section 4.2);
    /// the trace has no such frame, so Len is filled in.
    /// </summary>
    public static byte[] WithLength(ReadOnlySpan<byte> frame)
    {
        int head = PayloadRedaction.SkipFrameHead(frame);
        int length = frame.Length - head;
        if (frame.Length < 2 || frame[0] >> 4 != 0 || length == 0)
        {
            return frame.ToArray();
        }

        byte[] extended = length switch
        {
            < 13 => [],
            < 269 => [(byte)(length - 13)],
            < 65_805 => [(byte)((length - 269) >> 8), (byte)(length - 269)],
            _ => [(byte)((length - 65_805) >> 24), (byte)((length - 65_805) >> 16), (byte)((length - 65_805) >> 8),
                (byte)(length - 65_805)],
        };
        int nibble = extended.Length switch { 0 => length, 1 => 13, 2 => 14, _ => 15 };
        return [(byte)((nibble << 4) | (frame[0] & 15)), .. extended, .. frame[1..]];
    }
}
