using CoAP.NET.Bench;

namespace CoAP.NET.Simulation.Overload;

/// <summary>100 ms of a load.</summary>
internal sealed class LoadSlice
{
    /// <summary>How many there are in a second.</summary>
    public const int PerSecond = 10;

    /// <summary>Answers that came.</summary>
    public long Answered { get; set; }

    /// <summary>Refusals that came.</summary>
    public long Refused { get; set; }

    /// <summary>How long these answers took.</summary>
    public LatencyHistogram Times { get; } = new();
}
