using CoAP.NET.Diagnostics;

namespace CoAP.NET.Simulation.Machine;

/// <summary>What became of one fault of the machine; goes from the child process to the campaign as JSON.</summary>
internal sealed class MachineFindings
{
    /// <summary>What happened, in half sentences.</summary>
    public List<string> Happened { get; init; } = [];

    /// <summary>What was not as it has to be.</summary>
    public List<string> Failures { get; init; } = [];

    /// <summary>Counters and log entries that tell of the fault.</summary>
    public List<string> Counted { get; init; } = [];

    /// <summary>Why it could not run here; null when it ran.</summary>
    public string? Skipped { get; set; }

    /// <summary>How long after the fault's end it took until all was well, in milliseconds; null where that means nothing.</summary>
    public double? RecoveryMs { get; set; }

    /// <summary>Tells something that was seen.</summary>
    public void Saw(string what) => Happened.Add(what);

    /// <summary>Tells something that has to be so.</summary>
    /// <param name="holds">Whether it is.</param>
    /// <param name="what">What.</param>
    public void Check(bool holds, string what)
    {
        if (holds)
        {
            Happened.Add(what);
        }
        else
        {
            Failures.Add($"not so: {what}");
        }
    }

    /// <summary>Tells a counter, when it is not 0.</summary>
    public void Count(CoapCounters counters, params CoapCounter[] which)
    {
        foreach (CoapCounter counter in which)
        {
            if (counters[counter] != 0)
            {
                Counted.Add($"{counter} {counters[counter]:N0}");
            }
        }
    }
}
