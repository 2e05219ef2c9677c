using System.Globalization;
using CoAP.NET.Testing;

namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>What was seen in a run.</summary>
/// <param name="clock">The clock.</param>
internal sealed class ClusterJournal(VirtualClock clock)
{
    private readonly List<ClusterViolation> _violations = [];
    private readonly List<string> _lines = [];

    public IReadOnlyList<ClusterViolation> Violations => _violations;

    /// <summary>What happened, a line for each.</summary>
    public IReadOnlyList<string> Lines => _lines;

    public int Asked { get; set; }

    public int Answered { get; set; }

    public int Notified { get; set; }

    /// <summary>Where each line goes at once; null for nowhere.</summary>
    public static TextWriter? Echo { get; set; }

    public void Note(string what)
    {
        string line = string.Create(CultureInfo.InvariantCulture, $"{clock.Elapsed.TotalSeconds,9:F3} {what}");
        _lines.Add(line);
        Echo?.WriteLine(line);
    }

    public void Violate(ClusterCheck check, string what)
    {
        _violations.Add(new ClusterViolation(check, what, clock.Elapsed));
        Note($"VIOLATED {check}: {what}");
    }
}
