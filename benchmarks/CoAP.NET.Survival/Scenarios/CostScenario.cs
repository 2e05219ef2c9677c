using CoAP.NET.Footprint;

namespace CoAP.NET.Survival.Scenarios;

/// <summary>What it costs that nothing is lost, while nothing happens, and what it takes to go on.</summary>
internal sealed class CostScenario : IScenario
{
    public string Name => "cost";

    public string About => "processor time and memory of durability, time to restore sessions, load on the database";

    public async Task RunAsync(FigureTable table, Sizes sizes)
    {
        table.Begin("durability, SQLite");
        await new DurabilityCost(table, sizes).RunAsync();
        foreach (bool hasDatabase in (bool[])[false, true])
        {
            table.Begin(hasDatabase ? "restore, PostgreSQL" : "restore, SQLite");
            await new RestoreCost(table, sizes).RunAsync(hasDatabase);
        }

        table.Begin("relay between nodes");
        await new RelayCost(table, sizes).RunAsync();
        table.Begin("load on PostgreSQL");
        await new DatabaseCost(table, sizes).RunAsync();
    }
}
