namespace CoAP.NET.Survival.Scenarios;

/// <summary>Something that is measured.</summary>
internal interface IScenario
{
    string Name { get; }

    string About { get; }

    /// <summary>Has it happen, and adds to the table what came of it.</summary>
    Task RunAsync(FigureTable table, Sizes sizes, Sites sites);
}
