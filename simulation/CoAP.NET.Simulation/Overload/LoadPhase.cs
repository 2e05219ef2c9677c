using CoAP.NET.Bench;

namespace CoAP.NET.Simulation.Overload;

/// <summary>A stretch of a load at one rate, and what came of it.</summary>
/// <param name="name">What it is called.</param>
/// <param name="seconds">How long.</param>
/// <param name="rate">Requests a second.</param>
internal sealed class LoadPhase(string name, double seconds, int rate)
{
    public string Name { get; } = name;

    public double Seconds { get; } = seconds;

    public int Rate { get; } = rate;

    /// <summary>Requests sent in it.</summary>
    public long Sent { get; set; }

    /// <summary>Those of them that were answered.</summary>
    public long Answered { get; set; }

    /// <summary>Those of them that were answered 5.03.</summary>
    public long Refused { get; set; }

    /// <summary>Those of them that were answered otherwise.</summary>
    public long Errors { get; set; }

    /// <summary>How long the answers to them took.</summary>
    public LatencyHistogram Times { get; } = new();

    /// <summary>Answers that came while it lasted, whenever they were asked for.</summary>
    public long Arrived { get; set; }

    /// <summary>The part of a processor that the server took; 0 when it is not known.</summary>
    public double Processor { get; set; }

    /// <summary>Answers in a second.</summary>
    public double Goodput => Arrived / Seconds;

    /// <summary>Those that nothing came back for.</summary>
    public long Lost => Sent - Answered - Refused - Errors;
}
