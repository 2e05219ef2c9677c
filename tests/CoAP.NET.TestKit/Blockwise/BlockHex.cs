namespace CoAP.NET.Tests.Blockwise;

internal static class BlockHex
{
    /// <summary>The bytes of a Block option as they stand on the wire.</summary>
    public static string Hex(this BlockValue block)
    {
        Span<byte> bytes = stackalloc byte[3];
        return Wire.Hex(bytes[..block.Write(bytes)]);
    }
}
