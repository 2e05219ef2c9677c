using System.Globalization;

namespace CoAP.NET.Load.Reporting;

/// <summary>Formats figures for reports.</summary>
internal static class FigureFormatter
{
    /// <summary>The text of a missing figure.</summary>
    public const string None = "–";

    /// <summary>Formats a time in microseconds with its unit and at most three figures.</summary>
    public static string Time(double microseconds) => Math.Abs(microseconds) switch
    {
        double.NaN => None,
        < 999.5 => Figures(microseconds) + " µs",
        < 999_500 => Figures(microseconds / 1e3) + " ms",
        _ => Figures(microseconds / 1e6) + " s",
    };

    /// <summary>Formats a number with commas; small ones with some decimals.</summary>
    public static string Number(double number) =>
        double.IsFinite(number) ? number.ToString(Math.Abs(number) < 99.95 ? "0.##" : "#,0", CultureInfo.InvariantCulture) : None;

    /// <summary>Formats a number for the tick of an axis: 20k, 1.5M.</summary>
    public static string Short(double number) => Math.Abs(number) switch
    {
        < 1e4 => number.ToString("#,0.######", CultureInfo.InvariantCulture),
        < 1e6 => Scaled(number / 1e3) + "k",
        < 1e9 => Scaled(number / 1e6) + "M",
        _ => Scaled(number / 1e9) + "G",
    };

    /// <summary>Formats a fraction as a percentage.</summary>
    public static string Percent(double part) =>
        double.IsFinite(part) ? (part * 100).ToString("0.##", CultureInfo.InvariantCulture) + " %" : None;

    /// <summary>Formats bytes in MiB.</summary>
    public static string Memory(double bytes) => (bytes / (1024 * 1024)).ToString("#,0.0", CultureInfo.InvariantCulture) + " MiB";

    private static string Scaled(double number) => number.ToString("#,0.###", CultureInfo.InvariantCulture);

    private static string Figures(double number) =>
        number.ToString(Math.Abs(number) switch { < 9.995 => "0.##", < 99.95 => "0.#", _ => "0" }, CultureInfo.InvariantCulture);
}
