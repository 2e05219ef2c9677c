using System.Globalization;

namespace CoAP.NET.Cli.Output;

/// <summary>Sizes for readers, in units of 1,024 bytes, as in the configuration of servers.</summary>
internal static class ByteSizeFormatter
{
    private static readonly string[] s_units = ["KiB", "MiB", "GiB", "TiB"];

    /// <summary>Returns a size, such as <c>512 B</c> or <c>38.1 MiB</c>.</summary>
    public static string Of(double bytes)
    {
        if (bytes < 1024)
        {
            return string.Create(CultureInfo.InvariantCulture, $"{bytes:0} B");
        }

        int unit = -1;
        while (bytes >= 1024 && unit < s_units.Length - 1)
        {
            bytes /= 1024;
            unit++;
        }

        return string.Create(CultureInfo.InvariantCulture, $"{bytes:0.0} {s_units[unit]}");
    }
}
