namespace CoAP.NET.Tests.Shared;

/// <summary>
/// Runs that measure for a fraction of a second, and for longer where a thread of a busy machine does not get its turn within that time:
/// no test depends on how fast the machine is.
/// </summary>
internal static class LongEnough
{
    private static readonly double[] s_factors = [1, 8, 64];

    /// <summary>Runs until one run was long enough; the last one has to be.</summary>
    /// <param name="run">Runs for that many times its usual length, and says whether enough was measured to assert anything.</param>
    public static async Task RunAsync(Func<double, Task<bool>> run)
    {
        foreach (double factor in s_factors)
        {
            if (await run(factor))
            {
                return;
            }
        }

        Assert.Fail("Not even the longest run measured anything.");
    }
}
