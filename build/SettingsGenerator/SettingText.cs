using System;
using System.Globalization;

namespace CoAP.NET.Build.Settings;

/// <summary>Writes numbers for readers of comments, and for the compiler.</summary>
internal static class SettingText
{
    /// <summary>The infinite time, in a comment.</summary>
    public const string Infinite = "<see cref=\"global::System.Threading.Timeout.InfiniteTimeSpan\"/>";

    private static readonly (string Name, long Size)[] s_bytes =
        { ("GiB", 1L << 30), ("MiB", 1L << 20), ("KiB", 1L << 10) };

    private static readonly (string One, string Many, double Size)[] s_times =
        { ("day", "days", 86_400), ("h", "h", 3600), ("min", "min", 60), ("s", "s", 1), ("ms", "ms", 0.001) };

    public static string Of(object value) => value switch
    {
        long number => number.ToString("N0", CultureInfo.InvariantCulture),
        int number => number.ToString("N0", CultureInfo.InvariantCulture),
        _ => Convert.ToString(value, CultureInfo.InvariantCulture),
    };

    public static string Bytes(object value)
    {
        long count = Convert.ToInt64(value, CultureInfo.InvariantCulture);
        foreach ((string name, long size) in s_bytes)
        {
            if (count != 0 && count % size == 0)
            {
                return $"{Of(count / size)} {name}";
            }
        }

        return count == 0 ? "0" : $"{Of(count)} bytes";
    }

    /// <summary>A time in seconds, in the largest unit that divides it.</summary>
    public static string Time(double seconds)
    {
        foreach ((string one, string many, double size) in s_times)
        {
            double count = Math.Round(seconds / size, 6);
            if (seconds != 0 && count >= 1 && count == Math.Floor(count))
            {
                return $"{Of((long)count)} {(count == 1 ? one : many)}";
            }
        }

        return seconds == 0 ? "0" : $"{Code(seconds)} s";
    }

    /// <summary>A number as the compiler reads it.</summary>
    public static string Code(double value)
    {
        if (value == double.MaxValue || double.IsPositiveInfinity(value))
        {
            return "double.MaxValue";
        }

        string text = value.ToString("R", CultureInfo.InvariantCulture);
        return text.Contains(".") || text.Contains("E") ? text : text + ".0";
    }

    public static string Ticks(double seconds) =>
        ((long)Math.Round(seconds * TimeSpan.TicksPerSecond)).ToString(CultureInfo.InvariantCulture);
}
