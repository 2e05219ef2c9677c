using System.Globalization;
using CoAP.NET.Simulation.Congestion;

// Simulations that take longer than a test may. Prints Markdown.
const string Usage = "usage: CoAP.NET.Simulation congestion [--seeds N] (default 5)";
int seeds = 5;
switch (args)
{
    case ["congestion"]:
        break;
    case ["congestion", "--seeds", string text] when int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out seeds) && seeds > 0:
        break;
    default:
        Console.Error.WriteLine(Usage);
        return 2;
}

foreach (IGrouping<string, CongestionScenario> table in CongestionScenario.All.GroupBy(static scenario => scenario.Table))
{
    Console.WriteLine(CongestionReport.Make(table.Key, [.. table], seeds));
}

return 0;
