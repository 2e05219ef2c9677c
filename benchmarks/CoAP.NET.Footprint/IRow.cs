namespace CoAP.NET.Footprint;

/// <summary>A part of the table that can be asked for by its name.</summary>
internal interface IRow
{
    string Name { get; }

    /// <summary>What it measures, for the usage.</summary>
    string About { get; }

    /// <summary>About how long it takes.</summary>
    int Seconds(Sizes sizes);

    Task RunAsync(FigureTable table, Sizes sizes);
}
