namespace CoAP.NET.Load.Figures;

/// <summary>One second of a run, for plots over time.</summary>
/// <param name="At">Its end, in seconds since the measuring began.</param>
/// <param name="PerSecond">Answers or notifications.</param>
/// <param name="P50">Half of them took no longer, in microseconds.</param>
/// <param name="P99">99 of 100 took no longer, in microseconds.</param>
internal readonly record struct LoadSecond(double At, double PerSecond, double P50, double P99);
