namespace CoAP.NET.Simulation.Fuzz;

/// <summary>
/// What one worker does: rounds over all targets, each as often as its share says. It is run in a context of its own, with its own copy of
/// the library, so that only types of the framework go in and out.
/// </summary>
internal static class FuzzSession
{
    private const int Rounds = 10;

    /// <summary>Runs until so many executions were made, or until a target failed too often.</summary>
    /// <param name="seed">Chance.</param>
    /// <param name="executions">How many, in all.</param>
    /// <param name="only">The one target; null for all.</param>
    /// <param name="plant">A planted defect; null for none.</param>
    /// <param name="status">Takes what <see cref="FuzzStatus"/> says while it runs.</param>
    /// <param name="stop">Ends it early.</param>
    /// <returns>A row for each target, as <see cref="FuzzRow"/> packs it.</returns>
    public static string[][] Run(ulong seed, long executions, string? only, string? plant, object?[] status, CancellationToken stop)
    {
        using IDisposable pool = PoolQuiet.Bound();
        CoverageMap? coverage = CoverageMap.Find();
        coverage?.Clear();
        List<FuzzRunner> runners = [.. FuzzTargets.Names.Where(name => only is null || name == only)
            .Select(name => new FuzzRunner(FuzzTargets.Make(name, plant), seed, FuzzCorpus.Of(name), coverage))];
        List<FuzzFinding>[] findings = [.. runners.Select(_ => new List<FuzzFinding>())];
        try
        {
            long done = 0;
            while (done < executions && !stop.IsCancellationRequested && findings.Any(some => some.Count == 0))
            {
                for (int i = 0; i < runners.Count && done < executions; i++)
                {
                    FuzzRunner runner = runners[i];

                    // One finding of a target is shrunk and told; what comes behind it would mostly be the same again.
                    if (findings[i].Count > 0)
                    {
                        continue;
                    }

                    FuzzStatus.Begin(status, runner);
                    long before = runner.Executions;
                    if (runner.Run((int)Math.Min(Math.Max(1, runner.Target.Share / Rounds), executions - done), stop) is { } finding)
                    {
                        findings[i].Add(finding);
                    }

                    done += runner.Executions - before;
                    FuzzStatus.Report(status, done, runners, findings, coverage);
                }
            }

            for (int i = 0; i < runners.Count; i++)
            {
                if (findings[i].Count == 0 && Settle(runners[i].Target) is { } finding)
                {
                    findings[i].Add(finding);
                }
            }

            return [.. runners.Select((runner, i) => FuzzRow.Pack(runner, findings[i], coverage))];
        }
        finally
        {
            runners.ForEach(runner => runner.Target.Dispose());
        }
    }

    /// <summary>Runs inputs, one after the other.</summary>
    /// <returns>What fired; null for nothing.</returns>
    public static string? Replay(string target, string? plant, IReadOnlyList<byte[]> inputs)
    {
        using IDisposable pool = PoolQuiet.Bound();
        using FuzzTarget one = FuzzTargets.Make(target, plant);
        try
        {
            foreach (byte[] input in inputs)
            {
                one.Run(input);
            }

            one.Settle();
            return null;
        }
        // Whatever is thrown is what was asked for.
        catch (Exception exception)
        {
            return $"{FuzzShrinker.NameOf(exception)}: {exception}";
        }
    }

    private static FuzzFinding? Settle(FuzzTarget target)
    {
        IReadOnlyList<byte[]> history = target.History;
        try
        {
            target.Settle();
            return null;
        }
        // Whatever is thrown is a finding.
        catch (Exception exception)
        {
            return FuzzShrinker.Confirm(target, history, exception);
        }
    }
}
