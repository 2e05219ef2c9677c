namespace CoAP.NET.AspNetCore.Tests;

/// <summary>Bytes as hexadecimal digits.</summary>
internal static class Wire
{
    public static byte[] Hex(string digits) => Convert.FromHexString(digits);

    public static string Hex(ReadOnlySpan<byte> bytes) => Convert.ToHexStringLower(bytes);
}
