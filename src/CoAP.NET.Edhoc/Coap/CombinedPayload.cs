using CoAP.NET.Content.Cbor;
using CoAP.NET.Edhoc.Messages;

namespace CoAP.NET.Edhoc.Coap;

/// <summary>
/// The payload of a request with the EDHOC option: message_3, and what OSCORE protected behind it (RFC 9668 section 3.2). The identifier of
/// the server does not stand in front, as it is the kid of the OSCORE option.
/// </summary>
internal static class CombinedPayload
{
    public static byte[] Write(ReadOnlySpan<byte> message3, ReadOnlySpan<byte> ciphertext) => [.. message3, .. ciphertext];

    /// <summary>Takes it apart (section 3.3.1 steps 1 and 2).</summary>
    /// <param name="payload">The payload.</param>
    /// <param name="ciphertext">What OSCORE has to verify.</param>
    /// <returns>message_3.</returns>
    /// <exception cref="EdhocException">There is no message_3, or nothing behind it.</exception>
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
