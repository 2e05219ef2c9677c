using CoAP.NET.Bench;
using CoAP.NET.Survival.Nodes;

namespace CoAP.NET.Survival.Scenarios;

/// <summary><c>kill -9</c>: of the only node, which is started again, and of one of three.</summary>
internal sealed class CrashScenario : IScenario
{
    public string Name => "crash";

    public string About => "kill -9 of the only server, started again on its SQLite file, and of one of three with PostgreSQL";

    public async Task RunAsync(FigureTable table, Sizes sizes)
    {
        if (!sizes.IsOnOrleans)
        {
            table.Begin($"kill -9 of the only node, SQLite{sizes.RowSuffix}");
            await using Site site = await Site.OpenAsync(sizes, hasDatabase: false);
            NodeProcess node = await site.AddNodeAsync();
            await site.UntilReadyAsync();
            await site.OpenDevicesAsync();
            await site.UntilUnderWayAsync();
            TimeSpan cpu = site.NodesCpu;
            await site.LookAsync(node);
            node.KillNow();
            long begin = TimeProvider.System.GetTimestamp();
            NodeProcess next = await site.AddNodeAsync();
            await site.RemoveAsync(node);
            await site.UntilReadyAsync();
            TimeSpan away = TimeProvider.System.GetElapsedTime(begin);
            await site.UntilAllAreBackAsync();
            table.Add("away, of it the start of the server", $"{away.TotalSeconds:0.00} s, {next.Start.TotalSeconds:0.00} s");
            await new SiteReport(table, sizes).AddAsync(site, isPlanned: false, cpu);
        }

        table.Begin($"kill -9 of one of 3 nodes, PostgreSQL{sizes.RowSuffix}");
        await using (Site site = await Site.OpenAsync(sizes, hasDatabase: true))
        {
            await site.AddNodesAsync(3);
            await site.OpenDevicesAsync();
            await site.UntilUnderWayAsync();
            TimeSpan cpu = site.NodesCpu;
            NodeProcess victim = site.Nodes[1];
            await site.LookAsync(victim);
            victim.KillNow();
            await site.RemoveAsync(victim);
            await site.UntilAllAreBackAsync();
            await new SiteReport(table, sizes).AddAsync(site, isPlanned: false, cpu);
        }
    }
}
