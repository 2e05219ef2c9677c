namespace CoAP.NET.Tests;

/// <summary>Bytes from hexadecimal literals.</summary>
internal static class Wire
{
    /// <summary>Bytes of hexadecimal digits; spaces are ignored.</summary>
    public static byte[] Hex(string digits) => Convert.FromHexString(digits.Replace(" ", string.Empty, Ordinal));

    public static string Hex(ReadOnlySpan<byte> bytes) => Convert.ToHexStringLower(bytes);

    /// <summary>Bytes that differ from their neighbours.</summary>
    public static byte[] Pattern(int length) => [.. Enumerable.Range(0, length).Select(i => (byte)((i * 7) + 1))];
}
