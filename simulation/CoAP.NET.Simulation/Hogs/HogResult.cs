namespace CoAP.NET.Simulation.Hogs;

/// <summary>What the cheap clients had alone and beside the hogs.</summary>
internal sealed class HogResult
{
    public double AloneSeconds { get; set; }

    public long Alone { get; set; }

    public double TogetherSeconds { get; set; }

    public long Together { get; set; }

    public long Hogs { get; set; }

    /// <summary>Of the cheap ones beside the hogs, in milliseconds; of several rounds the worst.</summary>
    public double Median { get; set; }

    public double Percentile99 { get; set; }

    public double Worst { get; set; }

    /// <summary>Of the hogs' answers, in milliseconds.</summary>
    public double HogPercentile99 { get; set; }

    public List<string> Wrong { get; } = [];

    public double Ratio => Together / TogetherSeconds / (Alone / AloneSeconds);
}
