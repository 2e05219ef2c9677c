namespace CoAP.NET.Simulation.Machine;

/// <summary>How much processor time the process takes, to find loops that turn in circles.</summary>
internal static class ProcessorUse
{
    /// <summary>The share of one processor above which something turns in circles.</summary>
    public const double Most = 0.3;

    /// <summary>Measures for a while in which nothing is asked of the process.</summary>
    /// <returns>Processor time by time: 1 is one processor.</returns>
    public static async Task<double> WhileIdleAsync(TimeSpan time)
    {
        TimeSpan before = Environment.CpuUsage.TotalTime;
        Watch from = new();
        await Task.Delay(time, TimeProvider.System);
        return (Environment.CpuUsage.TotalTime - before) / from.Elapsed;
    }

    /// <summary>Measures and says.</summary>
    public static async Task CheckAsync(MachineFindings findings, TimeSpan time)
    {
        double share = await WhileIdleAsync(time);
        findings.Check(share < Most, FormattableString.Invariant($"idle meanwhile ({share:P0} of a processor)"));
    }
}
