using CoAP.NET.Content.Cbor;

namespace CoAP.NET.Edhoc.Messages;

/// <summary>Messages that are one byte string, with or without a prefix.</summary>
internal static class Bytes
{
    public static byte[] Item(ReadOnlySpan<byte> bytes) => new CborWriter().WriteBytes(bytes).ToArray();
}
