namespace CoAP.NET.Survival.Scenarios;

/// <summary>What it costs that nothing is lost, while nothing happens, or what it takes to go on.</summary>
/// <param name="cost">Which cost.</param>
internal sealed class CostScenario(Cost cost) : IScenario
{
    /// <summary>The word for all of them.</summary>
    public const string All = "cost";

    public string Name => cost switch
    {
        Cost.Durability => "durability",
        Cost.Restore => "restore",
        Cost.Relay => "relay",
        _ => "database",
    };

    public string About => cost switch
    {
        Cost.Durability => "processor time and memory of durability",
        Cost.Restore => "time to restore sessions",
        Cost.Relay => "processor time of a relay between nodes",
        _ => "load on the database",
    };

    /// <summary>One for each cost.</summary>
    public static IEnumerable<IScenario> OfAll() => Enum.GetValues<Cost>().Select(cost => new CostScenario(cost));

    public async Task RunAsync(FigureTable table, Sizes sizes, Sites sites)
    {
        switch (cost)
        {
            case Cost.Durability:
                table.Begin("durability, SQLite");
                await new DurabilityCost(table, sizes).RunAsync();
                break;
            case Cost.Restore:
                foreach (bool hasDatabase in (bool[])[false, true])
                {
                    table.Begin(hasDatabase ? "restore, PostgreSQL" : "restore, SQLite");
                    await new RestoreCost(table, sizes).RunAsync(hasDatabase);
                }

                break;
            case Cost.Relay:
                table.Begin("relay between nodes");
                await new RelayCost(table, sizes).RunAsync();
                break;
            default:
                table.Begin("load on PostgreSQL");
                await new DatabaseCost(table, sizes).RunAsync();
                break;
        }
    }
}

/// <summary>What is measured of the costs.</summary>
internal enum Cost
{
    /// <summary>Of a server that keeps its sessions, while it runs.</summary>
    Durability,

    /// <summary>Of a start with very many sessions.</summary>
    Restore,

    /// <summary>Of a datagram that comes to the wrong node.</summary>
    Relay,

    /// <summary>Of the database.</summary>
    Database,
}
