using CoAP.NET.Cli.Output;
using CoAP.NET.Serialization;

namespace CoAP.NET.Cli.Decoding;

/// <summary>Finds out how bytes are framed that nobody said anything about.</summary>
internal static class FormatGuess
{
    /// <summary>The first format by which all bytes are messages; where there is none, the one that the first byte looks like.</summary>
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
