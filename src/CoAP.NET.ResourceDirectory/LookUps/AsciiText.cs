using System.Text;

namespace CoAP.NET.ResourceDirectory;

/// <summary>Names of attributes, whose case does not count.</summary>
internal static class AsciiText
{
    public static bool AreEqual(ReadOnlySpan<byte> left, ReadOnlySpan<byte> right) => Ascii.EqualsIgnoreCase(left, right);
}
