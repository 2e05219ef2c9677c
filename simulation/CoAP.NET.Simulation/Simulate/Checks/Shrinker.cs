namespace CoAP.NET.Simulation.Simulate;

/// <summary>Takes steps out of a scenario as long as it fails by the same check.</summary>
internal static class Shrinker
{
    /// <summary>Takes steps out as long as the rest fails. Where runs are not the same bit for bit, what is left may need several runs to
    /// fail again.</summary>
    /// <typeparam name="TStep">The type of steps.</typeparam>
    /// <param name="steps">The steps of a scenario that failed.</param>
    /// <param name="failsAsync">Whether a scenario with these steps fails by the same check.</param>
    /// <param name="maxRuns">How many runs, at most.</param>
    /// <returns>The steps that are left.</returns>
    public static async Task<IReadOnlyList<TStep>> ShrinkAsync<TStep>(
        IReadOnlyList<TStep> steps, Func<IReadOnlyList<TStep>, Task<bool>> failsAsync, int maxRuns)
    {
        int runs = 0;
        for (int size = Math.Max(1, steps.Count / 2); size > 0 && runs < maxRuns; size /= 2)
        {
            for (int at = 0; at < steps.Count && runs < maxRuns;)
            {
                TStep[] fewer = [.. steps.Take(at), .. steps.Skip(at + size)];
                runs++;
                if (await failsAsync(fewer))
                {
                    steps = fewer;
                }
                else
                {
                    at += size;
                }
            }
        }

        return steps;
    }

    public static RunResult Shrink(RunResult failed, Func<Scenario, RunResult> run, int maxRuns = 300)
    {
        CheckKind check = failed.Violations[0].Check;
        int runs = 0;
        for (int size = Math.Max(1, failed.Scenario.Steps.Count / 2); ; size = Math.Max(1, size / 2))
        {
            bool hasShrunk = false;
            for (int at = 0; at < failed.Scenario.Steps.Count && runs < maxRuns;)
            {
                IReadOnlyList<Step> steps = failed.Scenario.Steps;
                Scenario smaller = failed.Scenario with { Steps = [.. steps.Take(at), .. steps.Skip(at + size)] };
                runs++;
                RunResult result = run(smaller);
                if (result.Violations.Any(violation => violation.Check == check))
                {
                    failed = result;
                    hasShrunk = true;
                }
                else
                {
                    at += size;
                }
            }

            if (runs >= maxRuns || (size == 1 && !hasShrunk))
            {
                return failed;
            }
        }
    }
}
