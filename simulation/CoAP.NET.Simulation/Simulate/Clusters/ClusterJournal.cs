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

    /// <summary>How many times a node ran a request that had run before.</summary>
    public int Repeated { get; set; }

    /// <summary>The longest time that a device waited for an answer.</summary>
    public TimeSpan LongestWait { get; private set; }

    /// <summary>A request of a device is answered.</summary>
    /// <param name="began">When it was sent.</param>
    public void OnAnswered(TimeSpan began) => LongestWait = clock.Elapsed - began > LongestWait ? clock.Elapsed - began : LongestWait;

    /// <summary>Where each line goes at once; null for nowhere.</summary>
    public static TextWriter? Echo { get; set; }

    public void Note(string what)
    {
        string line = $"{clock.Elapsed.TotalSeconds,9:F3} {what}";
        _lines.Add(line);
        Echo?.WriteLine(line);
    }

    public void Violate(ClusterCheck check, string what)
    {
        _violations.Add(new ClusterViolation(check, what, clock.Elapsed));
        Note($"VIOLATED {check}: {what}");
    }
}

/// <summary>Something that was begun.</summary>
/// <param name="What">What it is.</param>
/// <param name="Began">When.</param>
/// <param name="Within">Within which time it ends.</param>
/// <param name="Doing">It.</param>
/// <param name="Node">The node whose end ends it; null for devices.</param>
internal sealed record ClusterOperation(string What, TimeSpan Began, TimeSpan Within, Task<bool> Doing, SimulatedClusterNode? Node)
{
    /// <summary>Whether it was told that it has not ended.</summary>
    public bool IsTold { get; set; }
}
