using System.Globalization;
using CoAP.NET.Load.Figures;

namespace CoAP.NET.Load.Progress;

/// <summary>Formats the figures of ticks, independent of the machine's culture.</summary>
internal static class LoadProgressFormatter
{
    /// <summary>Formats a tick on one line.</summary>
    public static string Line(LoadProgress tick) =>
        $"{tick.Phase,-10} {Time(tick),-13} {Peers(tick)} {(tick.Peers == 1 ? "peer" : "peers")}  {Rates(tick)}errors {Count(tick.Errors)}  lost {Count(tick.Lost)}";

    /// <summary>Formats the elapsed and the total time.</summary>
    public static string Time(LoadProgress tick) =>
        string.Create(CultureInfo.InvariantCulture,
            $"{Math.Floor(tick.Elapsed.TotalSeconds):0} of {Math.Ceiling(tick.Whole.TotalSeconds):0} s");

    public static string Peers(LoadProgress tick) => tick.Peers.ToString("N0", CultureInfo.InvariantCulture);

    /// <summary>Formats a rate: with a decimal if it is small.</summary>
    public static string Rate(double perSecond) =>
        perSecond.ToString(perSecond is > 0 and < 10 ? "0.0" : "N0", CultureInfo.InvariantCulture);

    // Before and after the load there is no rate; a zero would look like a server that stopped.
    private static string Rates(LoadProgress tick) =>
        tick.PerSecond > 0 || tick.Phase is not ("connecting" or "ending")
            ? $"{Rate(tick.PerSecond)}/s  p50 {Duration(tick.P50)}  p99 {Duration(tick.P99)}  "
            : "";

    public static string Count(long count) => count.ToString("N0", CultureInfo.InvariantCulture);

    /// <summary>Formats a time in microseconds, in the unit that leaves three digits; "-" for none.</summary>
    public static string Duration(double microseconds) => microseconds switch
    {
        <= 0 => "-",
        < 999.5 => string.Create(CultureInfo.InvariantCulture, $"{microseconds:0} µs"),
        < 9_995 => string.Create(CultureInfo.InvariantCulture, $"{microseconds / 1e3:0.00} ms"),
        < 99_950 => string.Create(CultureInfo.InvariantCulture, $"{microseconds / 1e3:0.0} ms"),
        < 999_500 => string.Create(CultureInfo.InvariantCulture, $"{microseconds / 1e3:0} ms"),
        _ => string.Create(CultureInfo.InvariantCulture, $"{microseconds / 1e6:0.00} s"),
    };
}
