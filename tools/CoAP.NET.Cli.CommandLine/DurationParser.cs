using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;

namespace CoAP.NET.Cli;

/// <summary>Times on the command line: <c>10</c> or <c>10s</c>, <c>500ms</c>, <c>2m</c>, <c>1h</c>.</summary>
internal static class DurationParser
{
    // Timers allow no more than 49 days.
    private const double LongestSeconds = 40 * 24 * 3600.0;

    public static bool TryParse(string text, out TimeSpan value)
    {
        (ReadOnlySpan<char> number, double unit) = text switch
        {
            [.. var digits, 'm', 's'] => (digits, 0.001),
            [.. var digits, 's'] => (digits, 1.0),
            [.. var digits, 'm'] => (digits, 60),
            [.. var digits, 'h'] => (digits, 3600),
            _ => (text, 1.0),
        };
        bool isNumber = double.TryParse(number, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out double count)
            && count * unit <= LongestSeconds;
        value = isNumber ? TimeSpan.FromSeconds(count * unit) : default;
        return isNumber;
    }

    /// <summary>Creates an option with a time, which may be zero.</summary>
    public static Option<TimeSpan?> Option(string name, string description, params string[] aliases) =>
        Make(name, description, aliases, isZeroTaken: true);

    /// <summary>Creates an option with a time above zero.</summary>
    public static Option<TimeSpan?> PositiveOption(string name, string description, params string[] aliases) =>
        Make(name, description, aliases, isZeroTaken: false);

    private static Option<TimeSpan?> Make(string name, string description, string[] aliases, bool isZeroTaken) => new(name, aliases)
    {
        Description = description,
        HelpName = "TIME",
        CustomParser = result => Parse(result, isZeroTaken),
    };

    private static TimeSpan? Parse(ArgumentResult result, bool isZeroTaken)
    {
        if (result.Tokens is not [{ Value: var text }] || !TryParse(text, out TimeSpan value))
        {
            result.AddError($"'{result.Tokens[0].Value}' is not a time. Write seconds such as 10, or 500ms, 10s, 2m, 1h.");
            return null;
        }

        if (value == TimeSpan.Zero && !isZeroTaken)
        {
            result.AddError($"'{text}' is not a valid time: it must be above zero.");
        }

        return value;
    }
}
