using System.Formats.Cbor;
using CoAP.NET.Content.Cbor;

namespace CoAP.NET.Edhoc.Messages;

/// <summary>Encodes single items, which messages and inputs of hashes are put together of.</summary>
internal static class CborItemEncoder
{
    public static byte[] Item(ReadOnlySpan<byte> bytes)
    {
        CborWriter writer = CborNumberWriter.Create(bytes.Length + 9);
        writer.WriteByteString(bytes);
        byte[] item = writer.Encode();

        // Wipes the buffer of the writer: some items are secret.
        writer.Reset();
        return item;
    }
}
