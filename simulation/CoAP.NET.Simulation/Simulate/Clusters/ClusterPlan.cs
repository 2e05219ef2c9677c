namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>The nodes, the devices, and what lies between them.</summary>
internal sealed record ClusterPlan
{
    public ulong Seed { get; set; } = 1;

    public int Nodes { get; set; } = 2;

    public int Devices { get; set; } = 3;

    /// <summary>How many of the devices have no Connection IDs: the last ones.</summary>
    public int Plain { get; set; }

    public BalancerKind Balancer { get; set; }

    /// <summary>How many datagrams of a thousand between devices and balancer are lost.</summary>
    public int Loss { get; set; }

    /// <summary>How many are doubled.</summary>
    public int Duplication { get; set; }

    /// <summary>How many come later than those after them.</summary>
    public int Reordering { get; set; }

    /// <summary>How long a datagram takes at most, in milliseconds.</summary>
    public int MaxDelay { get; set; } = 10;

    /// <summary>How long a way to the store takes at most, in milliseconds.</summary>
    public int StoreDelay { get; set; } = 2;

    /// <summary>How far clocks of nodes are apart at most, in seconds.</summary>
    public int ClockSpread { get; set; }

    /// <summary>By how much clocks of nodes go wrong at most, in millionths.</summary>
    public int ClockDrift { get; set; }

    /// <summary>
    /// 1 if every second process, beginning with the first, is of the version before: it reads older formats of records only.
    /// </summary>
    public int Mixed { get; set; }
}

/// <summary>How a balancer chooses nodes.</summary>
internal enum BalancerKind
{
    /// <summary>A device stays where it is.</summary>
    Sticky,

    /// <summary>Each datagram of a session goes to any node.</summary>
    Spray,

    /// <summary>It goes on sending to nodes that are gone, for seconds.</summary>
    Lag,
}
