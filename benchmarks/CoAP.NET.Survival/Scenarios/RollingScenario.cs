using CoAP.NET.Footprint;
using CoAP.NET.Survival.Nodes;

namespace CoAP.NET.Survival.Scenarios;

/// <summary>Each node is replaced by a new one, one after the other, as a rolling update does.</summary>
internal sealed class RollingScenario : IScenario
{
    private const double SecondsGoal = 15;

    public string Name => "rolling";

    public string About => "three nodes are replaced one after the other under load, as a rolling update does";

    public async Task RunAsync(FigureTable table, Sizes sizes)
    {
        table.Begin($"rolling restart of 3 nodes{sizes.RowSuffix}");
        await using Site site = await Site.OpenAsync(sizes, hasDatabase: true);
        await site.AddNodesAsync(3);
        await site.OpenDevicesAsync();
        await site.UntilUnderWayAsync();
        TimeSpan cpu = site.NodesCpu;
        await site.LookAsync(null);
        long begin = TimeProvider.System.GetTimestamp();
        foreach (NodeProcess old in site.Nodes.ToArray())
        {
            await site.AddNodeAsync();
            await site.UntilReadyAsync();
            await old.StopAsync();
            await site.RemoveAsync(old);
        }

        TimeSpan time = TimeProvider.System.GetElapsedTime(begin);
        await site.UntilAllAreBackAsync();
        if (sizes.IsSelfCheck)
        {
            table.Add("done in", $"{time.TotalSeconds:0.0} s");
        }
        else
        {
            table.Add("done in", $"{time.TotalSeconds:0.0} s", "<= 15 s", time.TotalSeconds <= SecondsGoal);
        }

        await new SiteReport(table, sizes).AddAsync(site, isPlanned: true, cpu);
    }
}
