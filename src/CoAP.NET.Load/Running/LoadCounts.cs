namespace CoAP.NET.Load;

/// <summary>
/// The counters of one thread. Only that thread writes; others may read the display figures at any time, and all figures after the loops
/// have ended.
/// </summary>
internal sealed class LoadCounts
{
    /// <summary>The times of all correct answers, including the warm-up.</summary>
    public LoadHistogram All { get; } = new();

    /// <summary>All errors, including the warm-up.</summary>
    public long AllErrors { get; set; }

    /// <summary>All lost requests, including the warm-up.</summary>
    public long AllLost { get; set; }

    /// <summary>The times of the measured correct answers.</summary>
    public LoadHistogram Times { get; } = new();

    /// <summary>The measured errors.</summary>
    public Dictionary<string, long> Errors { get; } = [];

    /// <summary>The measured lost requests.</summary>
    public long Lost { get; set; }

    public void AddError(string kind) => Errors[kind] = Errors.GetValueOrDefault(kind) + 1;
}
