// What devices notice when servers crash, sleep and are replaced, with real processes, and what it costs that they do not.
using ClusterSample;
using CoAP.NET.Survival.Faults;
using CoAP.NET.Survival.Scenarios;

// Numbers are written and read alike on every machine.
CultureInfo.DefaultThreadCurrentCulture = CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;

// Those with the same nodes follow each other: a self-check uses them again.
IScenario[] scenarios = [.. NodeFaults.All, .. StoreFaults.All, .. CostScenario.OfAll()];
string usage = $"""
    usage: CoAP.NET.Survival [SCENARIO]... [OPTION]...   prints a table in Markdown; Linux, loopback, PostgreSQL installed
      exit code 1 when something was lost that must not be
    {string.Join('\n', scenarios.Select(one => $"  {one.Name,-15} {one.About}"))}
      {CostScenario.All,-15} the last four
      (none)          all of them
    options:
      --balancer NAME of scenarios with nodes ({string.Join(", ", BalancerOptions.Names)}; default {BalancerOptions.Names[0]}):
                      sticky keeps each device at its server while that is ready; forget chooses a random server for each device that was
                      silent for half of --pause-ms; spray sends each record with a Connection ID to a random server
      --devices N     how many devices (30,000)
      --pause-ms N    how long after an answer a device asks again (10,000)
      --seconds N     how long costs are measured each time (30)
      --restored N    how many sessions are restored (100,000)
      --write FILE    writes the report to a file, too
      --verbose       nodes say on the error stream what they log
      --self-check    everything in small: times are not judged; without --balancer each scenario has the next balancer
    """;
if (args is ["--help" or "-h", ..])
{
    Console.WriteLine(usage);
    return 0;
}

try
{
    if (args is [Node.Verb, ..])
    {
        return await Node.RunAsync(args);
    }

    if (args is [DeviceHost.Verb, ..])
    {
        return await DeviceHost.RunAsync(args);
    }

    Arguments arguments = Arguments.Parse(
        args, ["--balancer", "--devices", "--pause-ms", "--seconds", "--restored", "--write"], ["--self-check", Node.Verbose]);
    string[] names = [.. scenarios.Select(one => one.Name), CostScenario.All];
    if (arguments.Words.FirstOrDefault(word => !names.Contains(word)) is { } unknown)
    {
        throw new ArgumentException($"{unknown} is no scenario: {string.Join(", ", names)}.");
    }

    if (!PostgreSqlProcess.IsInstalled)
    {
        throw new InvalidOperationException($"{string.Join(" and ", PostgreSqlProcess.Programs)} are needed. {PostgreSqlProcess.Advice}.");
    }

    Sizes sizes = arguments.Has("--self-check") ? Sizes.Small : Sizes.Large;
    sizes = sizes with
    {
        IsVerbose = arguments.Has(Node.Verbose),
        Devices = Math.Max(1, arguments.Number("--devices", sizes.Devices)),
        Seconds = Math.Max(1, arguments.Number("--seconds", sizes.Seconds)),
        Restored = Math.Max(1, arguments.Number("--restored", sizes.Restored)),
        Times = sizes.Times with
        {
            Pause = TimeSpan.FromMilliseconds(arguments.Number("--pause-ms", (int)sizes.Times.Pause.TotalMilliseconds)),
        },
        Balancer = arguments.Text("--balancer", sizes.Balancer),
    };
    _ = BalancerOptions.Parse(sizes.Balancer, sizes.Times.Pause);
    FigureTable table = new(isJudging: !sizes.IsSelfCheck);
    table.Open();
    await using (Sites sites = new())
    {
        int turn = 0;
        foreach (IScenario scenario in scenarios.Where(one => arguments.Words.Count == 0 || arguments.Words.Contains(one.Name)
            || (one is CostScenario && arguments.Words.Contains(CostScenario.All))))
        {
            string next = sizes.IsSelfCheck && !arguments.Has("--balancer")
                ? BalancerOptions.Names[turn++ % BalancerOptions.Names.Count]
                : sizes.Balancer;
            await scenario.RunAsync(table, sizes with { Balancer = next }, sites);
        }
    }

    if (arguments.Has("--write"))
    {
        string head = ReportHead.Of("simulation/CoAP.NET.Survival", args, TimeProvider.System.GetUtcNow());
        File.WriteAllText(arguments.Text("--write", ""), $"{head}\n\n{table.Text}");
    }

    foreach (string fault in table.Faults)
    {
        Console.Error.WriteLine($"WRONG: {fault}");
    }

    return table.Faults.Count == 0 ? 0 : 1;
}
catch (Exception exception) when (exception is ArgumentException or InvalidOperationException or TimeoutException)
{
    Console.Error.WriteLine(exception.Message);
    return 2;
}
