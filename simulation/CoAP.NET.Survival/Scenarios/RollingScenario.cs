using CoAP.NET.Bench;
using CoAP.NET.Cluster;
using CoAP.NET.Survival.Nodes;

namespace CoAP.NET.Survival.Scenarios;

/// <summary>Each node is replaced by a new one, one after the other, as a rolling update does.</summary>
internal sealed class RollingScenario : IScenario
{
    private const double SecondsGoal = 15;

    // No node ends sooner after it has said that it leaves.
    private static TimeSpan Relays { get; } = new CoapSlotMoveOptions().RelayTime;

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
        TimeSpan starting = TimeSpan.Zero;
        TimeSpan stopping = TimeSpan.Zero;
        foreach (NodeProcess old in site.Nodes.ToArray())
        {
            long begin = TimeProvider.System.GetTimestamp();
            await site.AddNodeAsync();
            await site.UntilReadyAsync();
            long ready = TimeProvider.System.GetTimestamp();
            await old.StopAsync();
            await site.RemoveAsync(old);
            starting += TimeProvider.System.GetElapsedTime(begin, ready);
            stopping += TimeProvider.System.GetElapsedTime(ready);
        }

        await site.UntilAllAreBackAsync();
        table.Add("start of 3 processes", $"{starting.TotalSeconds:0.0} s");
        FormattableString text =
            $"{stopping.TotalSeconds:0.0} s; each relays what still comes for {Relays.TotalSeconds:0.0} s at least";
        if (sizes.IsSelfCheck)
        {
            table.Add("stop of 3 nodes", text);
        }
        else
        {
            table.Add("stop of 3 nodes", text, "<= 15 s", stopping.TotalSeconds <= SecondsGoal);
        }

        await new SiteReport(table, sizes).AddAsync(site, isPlanned: true, cpu);
    }
}
