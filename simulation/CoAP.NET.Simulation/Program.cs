// Campaigns that try whether the library falls over. Short runs of the same are tests (simulation/CoAP.NET.Reliability.Tests).
// docs/campaigns.md has the commands, docs/reliability.md the main figures.
using System.Runtime.InteropServices;
using CoAP.NET.Simulation;

if (args is [CoAP.NET.Simulation.Machine.MachineChild.Word, var machineCase])
{
    // The process in which a fault of the machine is made.
    return await CoAP.NET.Simulation.Machine.MachineChild.RunAsync(machineCase);
}

if (args is [CoAP.NET.Simulation.Overload.OverloadServer.Verb, ..])
{
    return await CoAP.NET.Simulation.Overload.OverloadServer.RunAsync(args[1..]);
}

if (args is [CoAP.NET.Simulation.LimitFill.LimitFillServer.Verb, var holderRow])
{
    return await CoAP.NET.Simulation.LimitFill.LimitFillServer.RunAsync(holderRow);
}

if (args is [CoAP.NET.Simulation.Simulate.Clusters.ClusterWorker.Verb, ..])
{
    // A process in which the thread pool has one thread.
    return await CoAP.NET.Simulation.Simulate.Clusters.ClusterWorker.ServeAsync(args[1..]);
}

if (args is [CoAP.NET.Simulation.Simulate.Clusters.SleeperRun.Word, ..])
{
    return await CoAP.NET.Simulation.Simulate.Clusters.SleeperRun.ServeAsync(args[1..]);
}

if (args is [] or ["--help" or "-h", ..] || Campaign.All.FirstOrDefault(one => one.Name == args[0]) is not { } campaign)
{
    Console.Error.WriteLine("""
        usage: CoAP.NET.Simulation CAMPAIGN [OPTION]...
          --seed N        the first seed (1)
          --seeds N       how many seeds
          --budget TIME   how long: 90s, 5m, 2h
          --executions N  how many inputs
          --only NAME     one case, target or row
          --plant NAME    plants a defect, to see it found
          --verbose       tells everything
          --write FILE    writes the report to a file, too
        campaigns:
        """);
    foreach (Campaign one in Campaign.All)
    {
        Console.Error.WriteLine($"  {one.Name,-15} {one.Summary}");
    }

    return args is ["--help" or "-h", ..] ? 0 : 2;
}

CampaignOptions options;
try
{
    options = CampaignOptions.Parse(args[1..]);
}
catch (Exception exception) when (exception is ArgumentException or OverflowException)
{
    Console.Error.WriteLine(exception.Message);
    return 2;
}

using CancellationTokenSource stop = new();
using PosixSignalRegistration interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, End);
using PosixSignalRegistration terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, End);
CampaignReport report = await campaign.RunAsync(options, Console.Error, stop.Token);
string text = $"{ReportHead.Of("simulation/CoAP.NET.Simulation", args, TimeProvider.System.GetUtcNow())}\n\n{report.Body.Trim()}\n";
Console.WriteLine(text);
foreach (string failure in report.Failures)
{
    Console.Error.WriteLine($"FAILED: {failure}");
}

if (options.Write is { } path)
{
    File.WriteAllText(path, text);
}

return report.Failures.Count == 0 ? 0 : 1;

void End(PosixSignalContext context)
{
    // What was found until now is still told.
    context.Cancel = true;
    stop.Cancel();
}
