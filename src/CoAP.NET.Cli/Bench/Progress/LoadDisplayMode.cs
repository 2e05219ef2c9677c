namespace CoAP.NET.Cli.Bench;

/// <summary>How the progress of runs is shown.</summary>
internal enum LoadDisplayMode
{
    /// <summary>A table that is drawn anew in its place, for terminals.</summary>
    Live,

    /// <summary>A line a second, for files and pipes.</summary>
    Plain,

    /// <summary>Nothing.</summary>
    Quiet,
}
