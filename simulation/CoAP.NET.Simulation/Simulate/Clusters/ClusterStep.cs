namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>One step of a run with clusters. What a kind does not use is as it would be anyway.</summary>
internal sealed record ClusterStep
{
    public ClusterStepKind Kind { get; set; }

    /// <summary>A number of its own, which requests bear.</summary>
    public int Id { get; set; }

    public int Device { get; set; }

    public int Node { get; set; }

    /// <summary>What is observed or changed, and which other node or recorded datagram is meant.</summary>
    public int Resource { get; set; }

    /// <summary>How long a handler takes, or a fault lasts, in milliseconds.</summary>
    public int Time { get; set; }

    /// <summary>How much later the next step is, in milliseconds.</summary>
    public int Pause { get; set; }
}

/// <summary>What a step of a run with clusters does.</summary>
internal enum ClusterStepKind
{
    /// <summary>Nothing but time passes.</summary>
    Wait,

    /// <summary>A device asks.</summary>
    Ask,

    /// <summary>A device sends an unsafe request with a number of its own.</summary>
    Count,

    /// <summary>A device begins to observe.</summary>
    Observe,

    /// <summary>A device gives an observation up.</summary>
    Unobserve,

    /// <summary>What is observed changes, and a node is told.</summary>
    Change,

    /// <summary>A node asks a device.</summary>
    AskDevice,

    /// <summary>A node puts a request into the outbox of a device.</summary>
    Queue,

    /// <summary>A device switches its radio off for a while.</summary>
    RadioOff,

    /// <summary>Others see a device at another address.</summary>
    Rebind,

    /// <summary>The process of a node ends without a word.</summary>
    Kill,

    /// <summary>The machine of a node is gone.</summary>
    Vanish,

    /// <summary>A node is started anew where none is.</summary>
    Start,

    /// <summary>A node hands its slots over and stops.</summary>
    Leave,

    /// <summary>The process of a node stands still for a while.</summary>
    Sleep,

    /// <summary>Two nodes are cut off from each other for a while.</summary>
    CutLink,

    /// <summary>A node does not reach the store for a while.</summary>
    CutStore,

    /// <summary>Nobody reaches the store for a while.</summary>
    StoreAway,

    /// <summary>Answers of the store are lost for a while.</summary>
    LoseAnswers,

    /// <summary>The store loses what was written lately, and a node dies.</summary>
    GoBack,

    /// <summary>The balancer forgets where devices belong.</summary>
    Forget,

    /// <summary>Somebody sends again what he recorded of a device.</summary>
    Replay,
}
