namespace CoAP.NET.Simulation.Faults;

/// <summary>
/// A server over sockets under load, and every 0.2 s a throw or a cancellation at a random place where it calls code of a user.
/// </summary>
internal sealed class FaultCampaign() : Campaign("faults", "a throw or a cancellation every 0.2 s where the library calls code of users")
{
    /// <summary>The least throughput with faults, as a part of that without.</summary>
    private const double LeastRatio = 0.95;

    private static readonly int[] s_shards = [1, 4];

    private static readonly string[] s_plants = ["swallowed", "uncounted", "lost", "slow", "lock", "thread"];

    public override async Task<CampaignReport> RunAsync(CampaignOptions options, TextWriter progress, CancellationToken cancellationToken)
    {
        if (options.Plant is { } name && !s_plants.Contains(name))
        {
            return new CampaignReport("", [$"nothing is planted by the name '{name}'; there is {string.Join(", ", s_plants)}"]);
        }

        UserCodeCall[] places = [
            .. UserCodeCalls.All.Where(place => options.Only is null || place.Name.Contains(options.Only))];
        if (places.Length == 0)
        {
            return new CampaignReport("", [$"no place has '{options.Only}' in its name"]);
        }

        TimeSpan budget = (options.Budget ?? TimeSpan.FromSeconds(24)) / s_shards.Length;
        List<string> failures = [];
        List<FaultTally> tallies = [];
        StringBuilder text = new();
        text.AppendLine("| shards | faults | requests beside them | wrong | without faults, /s | with faults, /s | ratio |");
        text.AppendLine("|---|---|---|---|---|---|---|");
        using UnobservedErrors unobserved = new();
        foreach (int shards in s_shards)
        {
            progress.WriteLine($"{shards} shard(s)");
            await using FaultStorm storm = await FaultStorm.StartAsync(await StartAsync(shards, options.Plant),
                options.Seed + (ulong)shards, places);
            await storm.RunAsync(budget, progress, cancellationToken);
            using CancellationTokenSource held = new();
            if (options.Plant == "lock")
            {
                await FaultPlants.HoldLockAsync(storm, held.Token);
            }

            List<string> found = await storm.FindAsync();
            if (storm.Ratio < LeastRatio)
            {
                found.Add($"the throughput with faults is {storm.Ratio:0.000} of that without; at least {LeastRatio} are asked");
            }

            failures.AddRange(found.Select(finding => $"{shards} shard(s), --seed {options.Seed}: {finding}"));
            tallies.Add(storm.Tally);
            text.AppendLine($"| {shards} | {storm.Tally.Count:n0} | {storm.Load.Done:n0} | {storm.Load.Wrong.Count} "
                    + $"| {storm.Clean.Requests / storm.Clean.Seconds:n0} | {storm.Faulty.Requests / storm.Faulty.Seconds:n0} "
                    + $"| {storm.Ratio:0.000} |");
        }

        failures.AddRange(unobserved.Take());
        text.AppendLine().Append(FaultTable.Make(tallies));
        return new CampaignReport(text.ToString(), failures);
    }

    private static async Task<FaultRig> StartAsync(int shards, string? plant)
    {
        FaultInjector injector = new()
        {
            Swallows = plant is "swallowed",
            Drag = plant is "slow" ? FaultPlants.Drag : null,
            Hides = plant is "uncounted"
        };
        FaultRig rig = await FaultRig.StartAsync(shards, injector, options =>
        {
            if (plant is "lost")
            {
                options.Pipeline.Insert(CoapStageLinks.ExchangesToResource, () => FaultPlants.LosingBlock());
            }
        });
        if (plant is "thread")
        {
            FaultPlants.LoseThread(rig);
        }

        return rig;
    }
}
