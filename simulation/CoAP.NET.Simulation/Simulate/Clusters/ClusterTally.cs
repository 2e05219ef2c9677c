namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>What happened in some runs, in numbers.</summary>
internal sealed record ClusterTally
{
    public long Seeds { get; set; }

    public long Failed { get; set; }

    public long Requests { get; set; }

    public long Answered { get; set; }

    public long Notified { get; set; }

    /// <summary>Records of sessions that nodes sent.</summary>
    public long Records { get; set; }

    /// <summary>Processes of nodes.</summary>
    public long Processes { get; set; }

    /// <summary>Sessions that devices opened.</summary>
    public long Sessions { get; set; }

    public long VirtualSeconds { get; set; }

    /// <summary>Steps of the clock.</summary>
    public long Steps { get; set; }

    /// <summary>Answered POSTs that no node ran.</summary>
    public long Lost { get; set; }

    /// <summary>How often a node ran a POST again, also where that is allowed.</summary>
    public long Repeated { get; set; }

    /// <summary>Numbers of DTLS and OSCORE that were used twice.</summary>
    public long NumbersReused { get; set; }

    /// <summary>Checks of the last state that observers failed.</summary>
    public long Missed { get; set; }

    /// <summary>The longest time that a device waited for an answer, in milliseconds.</summary>
    public long LongestWait { get; set; }

    public static ClusterTally operator +(ClusterTally one, ClusterTally other) => new()
    {
        Seeds = one.Seeds + other.Seeds,
        Failed = one.Failed + other.Failed,
        Requests = one.Requests + other.Requests,
        Answered = one.Answered + other.Answered,
        Notified = one.Notified + other.Notified,
        Records = one.Records + other.Records,
        Processes = one.Processes + other.Processes,
        Sessions = one.Sessions + other.Sessions,
        VirtualSeconds = one.VirtualSeconds + other.VirtualSeconds,
        Steps = one.Steps + other.Steps,
        Lost = one.Lost + other.Lost,
        Repeated = one.Repeated + other.Repeated,
        NumbersReused = one.NumbersReused + other.NumbersReused,
        Missed = one.Missed + other.Missed,
        LongestWait = Math.Max(one.LongestWait, other.LongestWait),
    };

    public string Describe() => $"{Seeds:N0} seeds, {Failed:N0} of them failed: {VirtualSeconds / 3600:N0} hours of virtual time, "
        + $"{Processes:N0} processes of nodes, {Sessions:N0} sessions, {Requests:N0} requests, "
        + $"{Answered:N0} answered, {Notified:N0} notifications, {Records:N0} records";
}
