using CoAP.NET.Cli.Output;
using CoAP.NET.Serialization;

namespace CoAP.NET.Cli.Decoding;

/// <summary>Detects the framing of bytes.</summary>
internal static class FramingDetector
{
    /// <summary>
    /// Returns the first format that makes all bytes valid messages; if there is none, the most likely one for the first byte.
    /// </summary>
    public static WireFormat Of(ReadOnlyMemory<byte> bytes)
    {
        bool isVersion1 = !bytes.IsEmpty && bytes.Span[0] >> 6 == 1;
        return isVersion1 && MessageDissector.Check(bytes.Span, WireFormat.Datagram).IsNone ? WireFormat.Datagram
            : MessageDissector.Split(bytes).All(frame => MessageDissector.Check(frame.Span, WireFormat.Stream).IsNone) ? WireFormat.Stream
            : MessageDissector.Check(bytes.Span, WireFormat.WebSocket).IsNone ? WireFormat.WebSocket
            : isVersion1 || bytes.IsEmpty ? WireFormat.Datagram
            : IsWebSocketLike(bytes.Span[0]) ? WireFormat.WebSocket
            : WireFormat.Datagram;
    }

    private static bool IsWebSocketLike(byte first) => first >> 4 == 0 && (first & 0x0f) != ExtendedField.Reserved;
}
