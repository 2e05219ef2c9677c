namespace CoAP.NET.Simulation.Simulate;

/// <summary>Takes steps out of a scenario as long as it fails by the same check.</summary>
internal static class Shrinker
{
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
