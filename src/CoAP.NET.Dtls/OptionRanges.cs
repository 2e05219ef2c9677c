using System.Globalization;

namespace CoAP.NET.Dtls;

/// <summary>Checks the ranges of options; an error names the valid range.</summary>
internal static class OptionRanges
{
    public static int Check(int value, int least, int most, string name) =>
        value >= least && value <= most
            ? value
            : throw new ArgumentOutOfRangeException(name, value,
                string.Create(CultureInfo.InvariantCulture, $"{name} is {value:N0}. Set it to {least:N0} to {most:N0}."));

    public static TimeSpan Check(TimeSpan value, TimeSpan least, TimeSpan most, string name) =>
        value >= least && value <= most
            ? value
            : throw new ArgumentOutOfRangeException(name, value, $"{name} is {value:c}. Set it to {least:c} to {most:c}.");
}
