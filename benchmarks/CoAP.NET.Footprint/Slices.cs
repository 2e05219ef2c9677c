namespace CoAP.NET.Footprint;

/// <summary>Rates of things that take turns, so that a machine that becomes slower does so for all of them.</summary>
internal static class Slices
{
    /// <summary>Measures each in turn, over and over, after one turn that is not counted.</summary>
    /// <param name="rounds">How many turns each gets.</param>
    /// <param name="sides">What is measured; each returns a rate.</param>
    /// <returns>The rates of each, in the order of the turns.</returns>
    public static async Task<double[][]> MeasureAsync(int rounds, params Func<Task<double>>[] sides)
    {
        double[][] rates = [.. sides.Select(_ => new double[rounds])];
        for (int round = -1; round < rounds; round++)
        {
            for (int side = 0; side < sides.Length; side++)
            {
                double rate = await sides[side]();
                if (round >= 0)
                {
                    rates[side][round] = rate;
                }
            }
        }

        return rates;
    }

    public static double Median(IEnumerable<double> values)
    {
        double[] sorted = [.. values.Order()];
        return sorted.Length % 2 == 1 ? sorted[sorted.Length / 2] : (sorted[(sorted.Length / 2) - 1] + sorted[sorted.Length / 2]) / 2;
    }

    /// <summary>The median of the ratios within each turn.</summary>
    public static double Ratio(double[] of, double[] to) => Median(of.Zip(to, (left, right) => left / right));

    /// <summary>How many times something was done a second.</summary>
    public static double Rate(long count, Action work)
    {
        Watch begin = new();
        work();
        return count / begin.Elapsed.TotalSeconds;
    }
}
