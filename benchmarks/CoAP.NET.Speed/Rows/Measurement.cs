namespace CoAP.NET.Speed.Rows;

/// <summary>What came out for a contender.</summary>
/// <param name="Entrant">Who it is.</param>
/// <param name="Runs">Its runs, in the order of the pairs; empty when it could not be measured.</param>
/// <param name="Failure">Why not.</param>
internal sealed record Outcome(Entrant Entrant, IReadOnlyList<RunFigures> Runs, string? Failure)
{
    public double Median(Func<RunFigures, double> figure) => Rows.Measurement.Median(Runs.Select(figure));

    public long Lost => Runs.Sum(run => run.Lost);

    public long Errors => Runs.Sum(run => run.Errors);
}

/// <summary>Measures rows: all contenders of a row are alive at a time, and take turns.</summary>
/// <param name="pairs">How many turns each has.</param>
/// <param name="seconds">How long a turn is.</param>
/// <param name="warmUp">How long each runs before, in seconds.</param>
internal sealed class Measurement(int pairs, double seconds, double warmUp)
{
    // Only a server that does not answer at all keeps everybody waiting for so long.
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(2);

    public static double Median(IEnumerable<double> values)
    {
        double[] sorted = [.. values.Order()];
        return sorted.Length == 0 ? 0 : (sorted[(sorted.Length - 1) / 2] + sorted[sorted.Length / 2]) / 2;
    }

    public IReadOnlyList<Outcome> Measure(Row row)
    {
        List<(Entrant Entrant, Contender? Contender, List<RunFigures> Runs)> all = [];
        Dictionary<Entrant, string> failures = [];
        try
        {
            foreach (Entrant entrant in row.Entrants)
            {
                Contender? contender = null;
                Try(entrant, () =>
                {
                    contender = entrant.Open();
                    contender.Run(warmUp);
                });
                all.Add((entrant, contender, []));
            }

            for (int pair = 0; pair < pairs; pair++)
            {
                // Whoever is first is another one each time.
                for (int i = 0; i < all.Count; i++)
                {
                    (Entrant entrant, Contender? contender, List<RunFigures> runs) = all[(i + pair) % all.Count];
                    if (!failures.ContainsKey(entrant))
                    {
                        Try(entrant, () => runs.Add(Turn(contender!)));
                    }
                }
            }
        }
        finally
        {
            foreach ((_, Contender? contender, _) in all)
            {
                contender?.Dispose();
            }
        }

        return [.. all.Select(
            one => new Outcome(one.Entrant, failures.ContainsKey(one.Entrant) ? [] : one.Runs, failures.GetValueOrDefault(one.Entrant)))];

        void Try(Entrant entrant, Action action)
        {
            try
            {
                action();
            }
            catch (Exception exception)
                when (exception is TimeoutException or InvalidOperationException or System.ComponentModel.Win32Exception)
            {
                failures[entrant] = exception.Message;
            }
        }
    }

    // A turn in which a busy machine has answered nothing says nothing: it is taken again.
    private RunFigures Turn(Contender contender)
    {
        Watch begin = new();
        RunFigures figures;
        do
        {
            figures = contender.Run(seconds);
        }
        while (figures is { PerSecond: 0, Errors: 0 } && begin.Elapsed < s_patience);
        return figures;
    }
}
