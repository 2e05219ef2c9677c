namespace CoAP.NET.Load;

/// <summary>The display mode of runs.</summary>
internal enum LoadDisplayMode
{
    /// <summary>A table that updates in place, for terminals.</summary>
    Live,

    /// <summary>A line per second, for files and pipes.</summary>
    Plain,

    /// <summary>Nothing.</summary>
    Quiet,
}
