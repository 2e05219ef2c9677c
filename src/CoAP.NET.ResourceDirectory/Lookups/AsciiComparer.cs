using System.Text;

namespace CoAP.NET.ResourceDirectory.Lookups;

/// <summary>Compares attribute names, which are case-insensitive.</summary>
internal static class AsciiComparer
{
    public static bool AreEqual(ReadOnlySpan<byte> left, ReadOnlySpan<byte> right) => Ascii.EqualsIgnoreCase(left, right);
}
