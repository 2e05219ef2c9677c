namespace CoAP.NET.Speed.Engines;

/// <summary>What a load on connections that stay came to.</summary>
/// <param name="PerSecond">Requests a second.</param>
/// <param name="CpuMicroseconds">The server's processor time for one, in microseconds.</param>
/// <param name="P50">Half of them took no longer, in microseconds.</param>
/// <param name="P99">99 of 100 took no longer, in microseconds.</param>
/// <param name="Threads">The server's threads under load.</param>
/// <param name="ResidentBytes">The server's memory under load.</param>
/// <param name="Errors">Connections that were lost, and wrong answers.</param>
internal readonly record struct LoadFigures(double PerSecond, double CpuMicroseconds, double P50, double P99, int Threads,
    long ResidentBytes, long Errors)
{
    private const double WarmUp = 1;

    /// <summary>Measures a loop whose connections are open.</summary>
    public static LoadFigures Of(ServerProcess server, RequestLoop loop, double seconds, Action? whileWaiting = null)
    {
        loop.Run(Math.Min(WarmUp, seconds), whileWaiting);
        TimeSpan before = server.Figures.Cpu;
        (LatencyHistogram times, TimeSpan elapsed) = loop.Run(seconds, whileWaiting);
        ProcessFigures after = server.Figures;
        return new LoadFigures(
            times.Count / elapsed.TotalSeconds,
            (after.Cpu - before).TotalMicroseconds / Math.Max(1, times.Count),
            times.Microseconds(0.5),
            times.Microseconds(0.99),
            after.Threads,
            after.ResidentBytes,
            loop.Errors + loop.Lost);
    }
}
