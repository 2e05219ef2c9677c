using System.Globalization;
using System.Reflection;
using CoAP.NET.Settings;

namespace CoAP.NET.Hosting.Configuration;

/// <summary>The configuration syntax of a value.</summary>
/// <param name="allowed">The allowed values, human-readable.</param>
/// <param name="parse">Returns the value of a text, trimmed and not empty; null for an invalid one.</param>
/// <param name="format">Formats a value such that it can be parsed again; null for the general format.</param>
internal sealed class ConfigurationValueSyntax(string allowed, Func<string, object?> parse, Func<object, string>? format = null)
{
    // A value has the first unit that divides it; zero has the fourth.
    private static readonly (string Name, long Size)[] s_bytes =
        [("GiB", 1L << 30), ("MiB", 1L << 20), ("KiB", 1L << 10), ("", 1), ("B", 1)];

    private static readonly (string Name, long Size)[] s_times =
        [("d", TimeSpan.TicksPerDay), ("h", TimeSpan.TicksPerHour), ("min", TimeSpan.TicksPerMinute), ("s", TimeSpan.TicksPerSecond),
            ("ms", TimeSpan.TicksPerMillisecond)];

    /// <summary>The path of a file, which its reader checks.</summary>
    public static ConfigurationValueSyntax FilePath { get; } = Text("path of a file");

    public string Allowed => allowed;

    public object? Parse(string text) => parse(text);

    public string Format(object value) => format?.Invoke(value) ?? Convert.ToString(value, CultureInfo.InvariantCulture)!;

    /// <summary>A text.</summary>
    /// <param name="allowed">The allowed values, human-readable.</param>
    /// <param name="parse">Returns its value, null for an invalid one; null for any text.</param>
    public static ConfigurationValueSyntax Text(string allowed, Func<string, object?>? parse = null) =>
        new(allowed, parse ?? (static text => text));

    /// <summary>A whole number.</summary>
    public static ConfigurationValueSyntax Number(long min, long max) => Range("whole number,", min, max, long.MaxValue,
        static text => long.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out long value) ? value : null,
        static value => value.ToString(CultureInfo.InvariantCulture));

    /// <summary>A number of bytes, with or without a unit.</summary>
    public static ConfigurationValueSyntax Bytes(long min, long max) => Range("bytes (B, KiB, MiB, GiB),", min, max, long.MaxValue,
        static text => Measure(text, s_bytes, NumberStyles.None), static value => Show(value, s_bytes));

    /// <summary>A number with a decimal point, with or without an exponent.</summary>
    /// <param name="min">The minimum.</param>
    /// <param name="max">The maximum; <see cref="double.MaxValue"/> for none.</param>
    /// <param name="isAbove">Whether the minimum itself is excluded.</param>
    public static ConfigurationValueSyntax Factor(double min, double max, bool isAbove = false) =>
        Range("number", min, max, double.MaxValue,
        static text => double.TryParse(text, NumberStyles.AllowDecimalPoint | NumberStyles.AllowLeadingSign | NumberStyles.AllowExponent,
            CultureInfo.InvariantCulture, out double value) && double.IsFinite(value) ? value : null,
        static value => value.ToString(CultureInfo.InvariantCulture), isAbove);

    /// <summary>
    /// A time, as a number with its unit or as hours, minutes and seconds. A number without a unit is invalid: .NET reads it as days,
    /// people as seconds.
    /// </summary>
    public static ConfigurationValueSyntax Time(TimeSpan min, TimeSpan max, bool isAbove = false) => Range(
        "time such as 500ms, 5s, 2min or 00:02:00,", min, max, TimeSpan.MaxValue,
        static TimeSpan? (text) => text == "0" ? TimeSpan.Zero
            : text.Contains(':', StringComparison.Ordinal)
            ? TimeSpan.TryParse(text, CultureInfo.InvariantCulture, out TimeSpan value) ? value : null
            : Measure(text, s_times, NumberStyles.AllowDecimalPoint) is { } ticks ? TimeSpan.FromTicks(ticks) : null,
        static value => Show(value.Ticks, s_times), isAbove);

    /// <summary>A time above zero.</summary>
    public static ConfigurationValueSyntax Time(TimeSpan max) => Time(TimeSpan.Zero, max, isAbove: true);

    /// <summary>The values of a type: yes or no, or the names of an enumeration, case-insensitive.</summary>
    /// <param name="type">The type.</param>
    /// <param name="leftOut">A name that is not allowed; null to allow all.</param>
    public static ConfigurationValueSyntax Choice(Type type, string? leftOut = null)
    {
        if (!type.IsEnum)
        {
            return new("true or false", static text => bool.TryParse(text, out bool value) ? value : null,
                static value => value is true ? "true" : "false");
        }

        // By name only: a number means nothing to a reader of the file.
        string[] names = [.. Enum.GetNames(type).Where(name => name != leftOut)];
        return new($"one of {string.Join(", ", names)}",
            text => names.Contains(text, StringComparer.OrdinalIgnoreCase) ? Enum.Parse(type, text, ignoreCase: true) : null);
    }

    /// <summary>The values of a setting, by its declaration; null if that says nothing about them.</summary>
    /// <param name="setting">The property.</param>
    public static ConfigurationValueSyntax? Of(PropertyInfo setting)
    {
        Type type = Nullable.GetUnderlyingType(setting.PropertyType) ?? setting.PropertyType;
        return setting.GetCustomAttribute<SettingRangeAttribute>() switch
        {
            NumberRangeAttribute { IsBytes: true } range => Bytes(range.Min, MaxOf(range, type)),
            NumberRangeAttribute range => Number(range.Min, MaxOf(range, type)),
            FactorRangeAttribute range when double.IsPositiveInfinity(range.Max) =>
                Factor(range.Min, double.MaxValue, range.IsMinExcluded).OrInfinite(double.PositiveInfinity),
            FactorRangeAttribute range => Factor(range.Min, range.Max, range.IsMinExcluded),
            TimeRangeAttribute { OrInfinite: true } range =>
                Time(range.Min, range.Max, range.IsMinExcluded).OrInfinite(Timeout.InfiniteTimeSpan),
            TimeRangeAttribute range => Time(range.Min, range.Max, range.IsMinExcluded),
            _ => type == typeof(bool) || type.IsEnum ? Choice(type) : null,
        };
    }

    /// <summary>Also allows <c>infinite</c>.</summary>
    public ConfigurationValueSyntax OrInfinite(object infinity) => new($"{allowed}, or infinite",
        text => text.Equals("infinite", StringComparison.OrdinalIgnoreCase) ? infinity : parse(text),
        value => value.Equals(infinity) ? "infinite" : Format(value));

    private static ConfigurationValueSyntax Range<T>(
        string what, T min, T max, T unlimited, Func<string, T?> parse, Func<T, string> format, bool isAbove = false)
        where T : struct, IComparable<T>
    {
        bool isLimited = max.CompareTo(unlimited) < 0;
        string range = isAbove ? $"above {format(min)}{(isLimited ? $", up to {format(max)}" : "")}"
            : $"{format(min)}{(isLimited ? $" to {format(max)}" : " or more")}";
        return new($"{what} {range}",
            text => parse(text) is { } value && value.CompareTo(min) >= (isAbove ? 1 : 0) && value.CompareTo(max) <= 0 ? value : null,
            value => format((T)Convert.ChangeType(value, typeof(T), CultureInfo.InvariantCulture)));
    }

    private static long MaxOf(NumberRangeAttribute range, Type type) =>
        type == typeof(int) ? Math.Min(range.Max, int.MaxValue) : range.Max;

    private static long? Measure(string text, (string Name, long Size)[] units, NumberStyles styles)
    {
        int end = text.AsSpan().LastIndexOfAnyInRange('0', '9') + 1;
        decimal size = units.FirstOrDefault(unit => text[end..].Trim().Equals(unit.Name, StringComparison.OrdinalIgnoreCase)).Size;
        return size > 0 && decimal.TryParse(text.AsSpan(0, end), styles, CultureInfo.InvariantCulture, out decimal number)
            && number <= long.MaxValue / size ? (long)Math.Round(number * size) : null;
    }

    private static string Show(long value, (string Name, long Size)[] units)
    {
        (string name, long size) =
            units.Where(unit => value >= unit.Size && value % unit.Size == 0).DefaultIfEmpty(units[3]).First();
        return string.Create(CultureInfo.InvariantCulture, $"{value / (decimal)size} {name}").TrimEnd();
    }
}
