namespace CoAP.NET.Settings;

/// <summary>Times in seconds, for <see cref="TimeRangeAttribute"/>.</summary>
internal static class Seconds
{
    public const double Millisecond = 0.001;
    public const double Minute = 60;
    public const double Hour = 60 * Minute;
    public const double Day = 24 * Hour;
}
