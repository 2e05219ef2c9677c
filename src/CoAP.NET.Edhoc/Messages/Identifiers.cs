namespace CoAP.NET.Edhoc.Messages;

/// <summary>Connection identifiers and kids: byte strings, some of which travel as integers (RFC 9528 section 3.3.2).</summary>
internal static class Identifiers
{
    /// <summary>Whether an identifier is the one-byte encoding of a CBOR integer, and travels as that byte.</summary>
    public static bool IsInteger(ReadOnlySpan<byte> identifier) =>
        identifier is [<= 0x17 or (>= 0x20 and <= 0x37)];

    public static byte[] Item(ReadOnlySpan<byte> identifier) =>
        IsInteger(identifier) ? identifier.ToArray() : CborItemEncoder.Item(identifier);
}
