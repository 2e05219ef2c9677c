using System.Globalization;
using System.Text;

namespace CoAP.NET.Cli.Output;

/// <summary>Formats bytes as a hex dump: offset, sixteen bytes, and their printable characters.</summary>
internal static class HexDump
{
    private const int BytesPerLine = 16;

    public static void Write(ReadOnlySpan<byte> bytes, TextWriter output)
    {
        StringBuilder line = new();
        for (int offset = 0; offset < bytes.Length; offset += BytesPerLine)
        {
            ReadOnlySpan<byte> part = bytes.Slice(offset, Math.Min(BytesPerLine, bytes.Length - offset));
            line.Clear().Append(CultureInfo.InvariantCulture, $"{offset:x8} ");
            for (int i = 0; i < BytesPerLine; i++)
            {
                line.Append(i == BytesPerLine / 2 ? "  " : " ");
                _ = i < part.Length ? line.Append(CultureInfo.InvariantCulture, $"{part[i]:x2}") : line.Append("  ");
            }

            line.Append("  |");
            foreach (byte value in part)
            {
                line.Append(value is >= 0x20 and < 0x7f ? (char)value : '.');
            }

            output.WriteLine(line.Append('|'));
        }
    }
}
