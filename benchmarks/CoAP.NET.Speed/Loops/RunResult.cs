namespace CoAP.NET.Speed.Loops;

/// <summary>What a loop came to.</summary>
/// <param name="Times">The times of the requests that were answered rightly.</param>
/// <param name="Elapsed">How long it ran.</param>
/// <param name="Cpu">The processor time that the measured process took meanwhile.</param>
/// <param name="Lost">Requests without an answer, or refused by a server for which they were too many.</param>
/// <param name="Errors">Wrong answers.</param>
internal readonly record struct RunResult(LatencyHistogram Times, TimeSpan Elapsed, TimeSpan Cpu, long Lost, long Errors)
{
    /// <summary>What several loops came to that ran at the same time, against one process.</summary>
    public static RunResult Merge(IReadOnlyList<RunResult> all)
    {
        LatencyHistogram times = new();
        foreach (RunResult one in all)
        {
            times.Add(one.Times);
        }

        // Each of them has read the processor time of the same process.
        return new RunResult(times, all.Max(one => one.Elapsed), all.Max(one => one.Cpu), all.Sum(one => one.Lost),
            all.Sum(one => one.Errors));
    }

    public double PerSecond => Times.Count / Elapsed.TotalSeconds;

    public RunFigures Figures =>
        new(PerSecond, Cpu.TotalMicroseconds / Math.Max(1, Times.Count), Times.Microseconds(0.5), Times.Microseconds(0.99), Lost, Errors);
}

/// <summary>The figures of a run.</summary>
/// <param name="PerSecond">Requests, or notifications, a second.</param>
/// <param name="CpuMicroseconds">Processor time of the measured process for one.</param>
/// <param name="P50">Half of them took no longer, in microseconds.</param>
/// <param name="P99">99 of 100 took no longer, in microseconds.</param>
/// <param name="Lost">Requests without an answer, or observers without the last state.</param>
/// <param name="Errors">Wrong answers.</param>
/// <param name="LoadProcessors">How many processors the load used; 0 where that is not measured.</param>
internal readonly record struct RunFigures(
    double PerSecond, double CpuMicroseconds, double P50, double P99, long Lost, long Errors, double LoadProcessors = 0);
