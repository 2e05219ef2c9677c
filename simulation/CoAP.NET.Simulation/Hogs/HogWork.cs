namespace CoAP.NET.Simulation.Hogs;

/// <summary>How much a processor does in a second.</summary>
internal static class HogWork
{
    // Rounds of the loop in a second of one processor.
    private static double PerSecond { get; } = Measure();

    /// <summary>
    /// Takes a processor. Processor time, not time on the clock: who is kept off the processor has as much left to do as before.
    /// </summary>
    public static string Burn(TimeSpan time)
    {
        double work = 1;
        for (long i = (long)(time.TotalSeconds * PerSecond); i > 0; i--)
        {
            work = Math.Sqrt(work + i);
        }

        return work < 0 ? "never" : "hog";
    }

    private static double Measure()
    {
        const int rounds = 2_000_000;
        double best = 0;
        double work = 1;
        for (int k = 0; k < 8; k++)
        {
            Watch start = new();
            for (long i = rounds; i > 0; i--)
            {
                work = Math.Sqrt(work + i);
            }

            best = Math.Max(best, rounds / start.Elapsed.TotalSeconds);
        }

        return work < 0 ? 0 : best;
    }
}
