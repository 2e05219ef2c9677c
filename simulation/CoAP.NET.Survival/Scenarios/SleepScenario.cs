using CoAP.NET.Bench;
using CoAP.NET.Survival.Nodes;

namespace CoAP.NET.Survival.Scenarios;

/// <summary>A node stands still for longer than its lease, as a virtual machine that is paused, and wakes up.</summary>
internal sealed class SleepScenario : IScenario
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);

    public string Name => "sleep";

    public string About => "one of three nodes is stopped (SIGSTOP) for longer than its lease and goes on (SIGCONT)";

    public async Task RunAsync(FigureTable table, Sizes sizes)
    {
        table.Begin($"{sizes.Sleep.TotalSeconds:0} s asleep, one of 3 nodes{sizes.RowSuffix}");
        await using Site site = await Site.OpenAsync(sizes, hasDatabase: true);
        await site.AddNodesAsync(3);
        await site.OpenDevicesAsync();
        await site.UntilUnderWayAsync();
        TimeSpan cpu = site.NodesCpu;
        NodeProcess sleeper = site.Nodes[1];
        await site.LookAsync(sleeper);
        sleeper.Sleep();
        await Task.Delay(sizes.Sleep, TimeProvider.System, CancellationToken.None);
        await site.UntilAllAreBackAsync();
        int ran = site.CountRun(sleeper);
        sleeper.WakeUp();
        if (sizes.IsOnOrleans && await sleeper.HasEndedAsync(s_patience))
        {
            // A silo that the others declared dead ends its process, and whoever watches over it starts another one.
            await site.RemoveAsync(sleeper);
            await site.AddNodeAsync();
        }

        await site.UntilUnderWayAsync();
        await site.UntilAllAreBackAsync();
        await new SiteReport(table, sizes).AddAsync(site, isPlanned: false, cpu);

        // The rest of what ran twice was carried out before it slept, and the answer was lost. The signal may also stop a handler on its
        // way; no lease prevents that this one request goes on. The loop carries out one at a time, so it is the first that runs.
        int again = site.CountRunAgain(sleeper, ran + 1);
        table.Add("unsafe requests that it ran when it woke, and others had run", $"{again}", "0", again == 0);
        table.Check(again == 0, $"{again} unsafe requests that a node ran when it woke, and others had run");
    }
}
