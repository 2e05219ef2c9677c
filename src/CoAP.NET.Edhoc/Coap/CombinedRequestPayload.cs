using CoAP.NET.Content.Cbor;
using CoAP.NET.Edhoc.Messages;

namespace CoAP.NET.Edhoc.Coap;

/// <summary>
/// The payload of a request with the EDHOC option: message_3, followed by the OSCORE ciphertext (RFC 9668 section 3.2). It does not begin
/// with the identifier of the server, which is the kid of the OSCORE option.
/// </summary>
internal static class CombinedRequestPayload
{
    public static byte[] Write(ReadOnlySpan<byte> message3, ReadOnlySpan<byte> ciphertext) => [.. message3, .. ciphertext];

    /// <summary>Splits the payload (section 3.3.1 steps 1 and 2).</summary>
    /// <returns>message_3.</returns>
    /// <exception cref="EdhocException">There is no message_3, or nothing after it.</exception>
    public static ReadOnlyMemory<byte> Read(ReadOnlyMemory<byte> payload, out ReadOnlyMemory<byte> ciphertext)
    {
        SequenceReader reader = new(payload.Span, "The payload with the EDHOC option");
        if (reader.Peek() != CborMajor.ByteString)
        {
            throw reader.Fault("does not begin with message_3");
        }

        reader.ReadItem();
        ciphertext = payload[reader.Position..];
        return !ciphertext.IsEmpty ? payload[..reader.Position] : throw reader.Fault("has nothing that OSCORE protected");
    }
}
