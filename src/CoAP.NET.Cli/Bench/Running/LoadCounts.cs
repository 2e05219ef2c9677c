namespace CoAP.NET.Cli.Bench;

/// <summary>
/// What one thread counted. Written by that thread alone; others may read the figures that are only for display at any time, and all when
/// the loops have ended.
/// </summary>
internal sealed class LoadCounts
{
    /// <summary>The times of all right answers, those of the warm-up too.</summary>
    public LoadHistogram All { get; } = new();

    /// <summary>All errors, those of the warm-up too.</summary>
    public long AllErrors { get; set; }

    /// <summary>All that were lost, in the warm-up too.</summary>
    public long AllLost { get; set; }

    /// <summary>The times of the right answers that are measured.</summary>
    public LoadHistogram Times { get; } = new();

    /// <summary>Errors that are measured.</summary>
    public Dictionary<string, long> Errors { get; } = [];

    /// <summary>Lost ones that are measured.</summary>
    public long Lost { get; set; }

    public void AddError(string kind) => Errors[kind] = Errors.GetValueOrDefault(kind) + 1;
}
