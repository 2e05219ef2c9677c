using CoAP.NET.Diagnostics;

namespace CoAP.NET.Simulation.Soak;

/// <summary>What a soak saw.</summary>
internal sealed record SoakResult
{
    public required SoakSettings Settings { get; init; }

    public required SoakLedger Ledger { get; init; }

    public required SoakLog Log { get; init; }

    /// <summary>How long it really ran.</summary>
    public TimeSpan Elapsed { get; set; }

    /// <summary>Looks at the process, from the beginning to the end.</summary>
    public List<SoakSample> Samples { get; } = [];

    /// <summary>Exceptions that somebody threw, caught or not, by kind.</summary>
    public Dictionary<string, long> Thrown { get; } = [];

    /// <summary>Exceptions of tasks that nobody looked at.</summary>
    public List<string> Unobserved { get; } = [];

    public long DatagramsPassed { get; set; }

    public long DatagramsLost { get; set; }

    public int Cuts { get; set; }

    /// <summary>Clients that came after the first ones.</summary>
    public int Newcomers { get; set; }

    /// <summary>POSTs that ran again.</summary>
    public long Repeated { get; set; }

    /// <summary>State changes of observed resources.</summary>
    public long Changes { get; set; }

    /// <summary>Observations that did not have the last state at the end.</summary>
    public List<string> Outdated { get; } = [];

    /// <summary>Endpoints that were still there after everything was stopped.</summary>
    public List<string> Kept { get; } = [];

    /// <summary>Descriptors before, and after everything was stopped.</summary>
    public (int Before, int After) Handles { get; set; }

    /// <summary>What the descriptors after that are.</summary>
    public string HandlesLeft { get; set; } = "";

    /// <summary>Bytes of the heap before, and after everything was stopped.</summary>
    public (long Before, long After) Heap { get; set; }

    /// <summary>The samples in which nothing may grow any more.</summary>
    public IReadOnlyList<SoakSample> Steady => [.. Samples.Where(sample => sample.At >= Settings.WarmUp)];
}
