using System.Globalization;

namespace CoAP.NET.Hosting;

/// <summary>
/// A time, as a number with its unit or as hours, minutes and seconds. A number without a unit is invalid: .NET reads it as days, people as
/// seconds.
/// </summary>
/// <param name="min">The minimum.</param>
/// <param name="max">The maximum.</param>
/// <param name="isInfiniteAllowed">Whether <c>infinite</c> is allowed.</param>
/// <param name="isAbove">Whether the minimum itself is excluded.</param>
internal sealed class TimeKind(TimeSpan min, TimeSpan max, bool isInfiniteAllowed = false, bool isAbove = false)
    : ValueKind<TimeSpan>(Range(min, max, isInfiniteAllowed, isAbove))
{
    private const string Infinite = "infinite";

    private static readonly (string Name, TimeSpan Unit)[] s_units =
    [
        ("ms", TimeSpan.FromMilliseconds(1)), ("min", TimeSpan.FromMinutes(1)), ("s", TimeSpan.FromSeconds(1)),
        ("h", TimeSpan.FromHours(1)), ("d", TimeSpan.FromDays(1)),
    ];

    public override bool TryParse(string text, out TimeSpan value)
    {
        if (isInfiniteAllowed && text.Equals(Infinite, StringComparison.OrdinalIgnoreCase))
        {
            value = Timeout.InfiniteTimeSpan;
            return true;
        }

        return (text.Contains(':', StringComparison.Ordinal)
            ? TimeSpan.TryParse(text, CultureInfo.InvariantCulture, out value)
            : TryParseUnit(text, out value))
            && value >= min && value <= max && !(isAbove && value == min);
    }

    public override string Format(TimeSpan value) => Text(value);

    private static bool TryParseUnit(string text, out TimeSpan value)
    {
        value = default;
        if (text == "0")
        {
            return true;
        }

        foreach ((string name, TimeSpan unit) in s_units)
        {
            if (text.EndsWith(name, StringComparison.OrdinalIgnoreCase))
            {
                if (!double.TryParse(text.AsSpan(0, text.Length - name.Length).TrimEnd(), NumberStyles.AllowDecimalPoint,
                    CultureInfo.InvariantCulture, out double number)
                    || !(number * unit.Ticks < long.MaxValue))
                {
                    return false;
                }

                value = TimeSpan.FromTicks((long)Math.Round(number * unit.Ticks));
                return true;
            }
        }

        return false;
    }

    private static string Text(TimeSpan value)
    {
        if (value == Timeout.InfiniteTimeSpan)
        {
            return Infinite;
        }

        (string name, TimeSpan unit) = value switch
        {
            { Ticks: 0 } => ("s", TimeSpan.FromSeconds(1)),
            _ when value.Ticks % TimeSpan.TicksPerDay == 0 => ("d", TimeSpan.FromDays(1)),
            _ when value.Ticks % TimeSpan.TicksPerHour == 0 => ("h", TimeSpan.FromHours(1)),
            _ when value.Ticks % TimeSpan.TicksPerMinute == 0 => ("min", TimeSpan.FromMinutes(1)),
            _ when value.Ticks % TimeSpan.TicksPerSecond == 0 => ("s", TimeSpan.FromSeconds(1)),
            _ => ("ms", TimeSpan.FromMilliseconds(1)),
        };
        return string.Create(CultureInfo.InvariantCulture, $"{value / unit} {name}");
    }

    private static string Range(TimeSpan min, TimeSpan max, bool isInfiniteAllowed, bool isAbove)
    {
        string least = isAbove ? $"above {Text(min)}" : max == TimeSpan.MaxValue ? $"{Text(min)} or more" : $"{Text(min)} to {Text(max)}";
        string most = isAbove && max != TimeSpan.MaxValue ? $", up to {Text(max)}" : "";
        return $"time such as 500ms, 5s, 2min or 00:02:00, {least}{most}{(isInfiniteAllowed ? ", or infinite" : "")}";
    }
}
