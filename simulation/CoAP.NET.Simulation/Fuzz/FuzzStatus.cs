namespace CoAP.NET.Simulation.Fuzz;

/// <summary>How far a worker is, in an array of types of the framework, as it goes from one load context to another.</summary>
internal static class FuzzStatus
{
    public const int Length = 7;

    public static void Begin(object?[] status, FuzzRunner runner)
    {
        status[0] = runner.Target.Name;
        status[1] = (Func<byte[]>)(() => runner.Current);
    }

    public static void Report(object?[] status, long executions, List<FuzzRunner> runners, List<FuzzFinding>[] findings,
        CoverageMap? coverage)
    {
        status[3] = runners.Sum(runner => (long)runner.Corpus.Count);
        status[4] = runners.Sum(runner => (long)runner.Features);
        status[5] = (long)findings.Sum(some => some.Count);
        status[6] = coverage?.Reached ?? 0;
        status[2] = executions;
    }

    public static long Number(object?[] status, int index) => status[index] is long number ? number : 0;
}
