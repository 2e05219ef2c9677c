namespace CoAP.NET.Load.Running;

/// <summary>Timestamps of the system's monotonic clock, with conversions.</summary>
internal static class MonotonicTimestamp
{
    private static readonly double s_perSecond = TimeProvider.System.TimestampFrequency;
    private static readonly double s_nanoseconds = 1e9 / TimeProvider.System.TimestampFrequency;

    public static long Now => TimeProvider.System.GetTimestamp();

    public static long FromSeconds(double seconds) => (long)(seconds * s_perSecond);

    public static double ToSeconds(long stamps) => stamps / s_perSecond;

    public static long ToNanoseconds(long stamps) => (long)(stamps * s_nanoseconds);
}
