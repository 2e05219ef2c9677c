// What devices notice when servers crash, sleep and are replaced, with real processes, and what it costs that they do not.
using System.Globalization;
using ClusterSample;
using CoAP.NET.Bench;
using CoAP.NET.Survival.Balancing;
using CoAP.NET.Survival.Devices;
using CoAP.NET.Survival.Nodes;
using CoAP.NET.Survival.Scenarios;

IScenario[] scenarios = [new CrashScenario(), new SleepScenario(), new RollingScenario(), .. CostScenario.OfAll()];
string usage = $"""
    usage: CoAP.NET.Survival [SCENARIO]... [OPTION]...   prints a table in Markdown; Linux, loopback, PostgreSQL installed
      exit code 1 when something was lost that must not be
    {string.Join('\n', scenarios.Select(static one => $"  {one.Name,-10} {one.About}"))}
      {CostScenario.All,-10} the last four
      (none)     all of them
    options:
      --engine NAME   how nodes that share PostgreSQL work together ({string.Join(", ", Sizes.Engines)}; default {Sizes.Engines[0]})
      --balancer NAME in crash, sleep and rolling ({string.Join(", ", BalancerOptions.Names)}; default {BalancerOptions.Names[0]}):
                      sticky keeps each device at its server while that is ready; forget chooses a random server for each device that was
                      silent for half of --pause-ms; spray sends each record with a Connection ID to a random server
      --devices N     how many devices (30,000)
      --pause-ms N    how long after an answer a device asks again (10,000)
      --seconds N     how long costs are measured each time (30)
      --restored N    how many sessions are restored (100,000)
      --write FILE    writes the table, too; between the lines "<!-- begin survival -->" and "<!-- end survival -->" of a file that has them
      --verbose       nodes say on the error stream what they log
      --self-check    everything in small: times are not judged; without --balancer also crash and rolling with each other balancer
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
        args, ["--engine", "--balancer", "--devices", "--pause-ms", "--seconds", "--restored", "--write"], ["--self-check", Node.Verbose]);
    string[] names = [.. scenarios.Select(static one => one.Name), CostScenario.All];
    if (arguments.Words.FirstOrDefault(word => !names.Contains(word)) is { } unknown)
    {
        throw new ArgumentException($"{unknown} is no scenario: {string.Join(", ", names)}.");
    }

    if (!PostgreSqlProcess.IsInstalled)
    {
        throw new InvalidOperationException($"{string.Join(" and ", PostgreSqlProcess.Programs)} are needed. {PostgreSqlProcess.Advice}.");
    }

    string engine = arguments.Text("--engine", Sizes.Engines[0]);
    if (!Sizes.Engines.Contains(engine))
    {
        throw new ArgumentException($"{engine} is no engine: {string.Join(", ", Sizes.Engines)}.");
    }

    Sizes sizes = arguments.Has("--self-check") ? Sizes.Small : Sizes.Large;
    sizes = sizes with
    {
        IsVerbose = arguments.Has(Node.Verbose),
        IsOnOrleans = engine != Sizes.Engines[0],
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
    foreach (IScenario scenario in scenarios.Where(one => arguments.Words.Count == 0 || arguments.Words.Contains(one.Name)
        || (one is CostScenario && arguments.Words.Contains(CostScenario.All))))
    {
        await scenario.RunAsync(table, sizes);
        if (sizes.IsSelfCheck && !arguments.Has("--balancer") && scenario is (CrashScenario or RollingScenario))
        {
            foreach (string balancer in BalancerOptions.Names.Skip(1))
            {
                await scenario.RunAsync(table, sizes with { Balancer = balancer });
            }
        }
    }

    if (arguments.Has("--write"))
    {
        string head = string.Create(CultureInfo.InvariantCulture,
            $"{TimeProvider.System.GetUtcNow():yyyy-MM-dd}, {Environment.ProcessorCount} processors, .NET {Environment.Version}: "
                + $"`dotnet run -c Release --project simulation/CoAP.NET.Survival -- {string.Join(' ', args)}`");
        WrittenText.Write(arguments.Text("--write", ""), "survival", $"{head}\n\n{table.Text}");
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
