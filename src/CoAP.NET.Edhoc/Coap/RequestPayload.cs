using CoAP.NET.Edhoc.Messages;

namespace CoAP.NET.Edhoc.Coap;

/// <summary>
/// The prefix of messages in requests: <c>true</c> before message_1, otherwise the identifier of the receiving side (RFC 9528 appendix
/// A.2).
/// </summary>
internal static class RequestPayload
{
    private const byte True = 0xf5;

    public static byte[] First(ReadOnlySpan<byte> message) => [True, .. message];

    public static byte[] Later(ReadOnlySpan<byte> identifier, ReadOnlySpan<byte> message) =>
        [.. Identifiers.Item(identifier), .. message];

    /// <summary>Splits the payload.</summary>
    /// <param name="payload">The payload.</param>
    /// <param name="identifier">The identifier; null before message_1.</param>
    /// <returns>The message.</returns>
    /// <exception cref="EdhocException">There is neither.</exception>
    public static ReadOnlyMemory<byte> Read(ReadOnlyMemory<byte> payload, out byte[]? identifier)
    {
        identifier = null;
        if (!payload.IsEmpty && payload.Span[0] == True)
        {
            return payload[1..];
        }

        SequenceReader reader = new(payload.Span, "The payload");
        identifier = reader.ReadIdentifier("a connection identifier");
        return payload[reader.Position..];
    }
}
