namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>One step of a run with clusters. What a kind does not use has its default.</summary>
internal sealed record ClusterStep
{
    public ClusterStepKind Kind { get; set; }

    /// <summary>A number of its own, which requests bear.</summary>
    public int Id { get; set; }

    public int Device { get; set; }

    public int Node { get; set; }

    /// <summary>What is observed, read or changed; which other node, or which recorded datagram; whether a key is replaced.</summary>
    public int Resource { get; set; }

    /// <summary>How long a handler takes, or a fault lasts, or by how much a clock jumps, in milliseconds.</summary>
    public int Time { get; set; }

    /// <summary>How much later the next step is, in milliseconds.</summary>
    public int Pause { get; set; }

    /// <summary>What the step does, in words.</summary>
    public string Describe()
    {
        string time = $"{TimeSpan.FromMilliseconds(Time).TotalSeconds:0.0} s";
        string node = $"the node at place {Node}";
        return Kind switch
        {
            ClusterStepKind.Wait => "time passes",
            ClusterStepKind.Ask => $"device {Device} asks who it is",
            ClusterStepKind.Count => $"device {Device} sends POST {Id}, whose handler takes {time}",
            ClusterStepKind.Read => $"device {Device} reads its counter and resource {Resource}",
            ClusterStepKind.Observe => $"device {Device} begins to observe resource {Resource}",
            ClusterStepKind.Unobserve => $"device {Device} ends an observation",
            ClusterStepKind.Change => $"resource {Resource} changes, and {node} is notified",
            ClusterStepKind.AskDevice => $"{node} sends a request to device {Device}",
            ClusterStepKind.Queue => $"{node} queues request {Id} for device {Device}",
            ClusterStepKind.Oscore => $"{node} uses numbers of OSCORE context {Device}",
            ClusterStepKind.Withdraw => $"the key of device {Device} is {(Resource == 0 ? "withdrawn" : "replaced by another")}",
            ClusterStepKind.RadioOff => $"the radio of device {Device} is off for {time}",
            ClusterStepKind.Rebind => $"the address of device {Device} changes",
            ClusterStepKind.Kill => $"the process of {node} dies",
            ClusterStepKind.Vanish => $"the machine of {node} vanishes",
            ClusterStepKind.Start => "a process starts at a free place",
            ClusterStepKind.Leave => $"{node} hands over and stops",
            ClusterStepKind.Sleep => $"{node} is suspended for {time}",
            ClusterStepKind.Twin => $"{node} is suspended for {time}; another process takes its place, and then both run",
            ClusterStepKind.CutLink => $"{node} and another one do not hear each other for {time}",
            ClusterStepKind.CutOneWay => $"another node does not hear {node} for {time}",
            ClusterStepKind.Deafen => $"{node} hears no other node for {time}",
            ClusterStepKind.Disturb => $"calls and datagrams between nodes are doubled and overtake each other for {time}",
            ClusterStepKind.CutStore => $"{node} does not reach the store for {time}",
            ClusterStepKind.StoreAway => $"no node reaches the store for {time}",
            ClusterStepKind.LoseAnswers => $"answers of the store are lost for {time}",
            ClusterStepKind.StoreSlow => $"each call of the store takes up to 3 s for {time}",
            ClusterStepKind.StoreFull => $"the disk of the store is full for {time}",
            ClusterStepKind.StoreReadOnly => $"the store is read-only for {time}",
            ClusterStepKind.StoreTorn => $"the store applies batches in part for {time}",
            ClusterStepKind.StoreDoubled => $"the store applies each batch twice for {time}",
            ClusterStepKind.StoreLag => $"news of the map is up to 5 s late for {time}",
            ClusterStepKind.GoBack => $"the store loses the writes of the last {time}, and {node} dies",
            ClusterStepKind.Promote => $"a replica without the writes of the last {time} takes over from the store",
            ClusterStepKind.ClockJump => $"the clock of {node} jumps by {time}",
            ClusterStepKind.Forget => "the balancer forgets where devices belong",
            ClusterStepKind.Replay => $"an attacker sends recorded datagram {Resource} again",
            _ => throw new InvalidOperationException($"{Kind} has no description."),
        };
    }
}

/// <summary>What a step of a run with clusters does.</summary>
internal enum ClusterStepKind
{
    /// <summary>Time passes.</summary>
    Wait,

    /// <summary>A device asks.</summary>
    Ask,

    /// <summary>A device sends an unsafe request with a number of its own.</summary>
    Count,

    /// <summary>A device reads the counter of its unsafe requests, and a resource.</summary>
    Read,

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

    /// <summary>A node uses numbers of an OSCORE context.</summary>
    Oscore,

    /// <summary>The key of a device is withdrawn, or replaced by another one, which the device does not have.</summary>
    Withdraw,

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

    /// <summary>The process of a node is suspended for a while.</summary>
    Sleep,

    /// <summary>
    /// The process of a node is suspended for a while, and another one with its address starts; then both run for some seconds.
    /// </summary>
    Twin,

    /// <summary>Two nodes are cut off from each other for a while.</summary>
    CutLink,

    /// <summary>For a while another node does not hear a node, which hears it.</summary>
    CutOneWay,

    /// <summary>For a while a node hears no other node, and they hear it.</summary>
    Deafen,

    /// <summary>For a while calls and datagrams between nodes are doubled and overtake each other.</summary>
    Disturb,

    /// <summary>A node does not reach the store for a while.</summary>
    CutStore,

    /// <summary>No node reaches the store for a while.</summary>
    StoreAway,

    /// <summary>Answers of the store are lost for a while.</summary>
    LoseAnswers,

    /// <summary>The store is slow for a while.</summary>
    StoreSlow,

    /// <summary>The store has no room for a while, also not for leases.</summary>
    StoreFull,

    /// <summary>The store refuses all writes for a while.</summary>
    StoreReadOnly,

    /// <summary>For a while the store applies some batches in part, and reports that they failed.</summary>
    StoreTorn,

    /// <summary>For a while the store applies each batch twice.</summary>
    StoreDoubled,

    /// <summary>For a while nodes hear late of changes of the map.</summary>
    StoreLag,

    /// <summary>The store loses the latest writes, and a node dies.</summary>
    GoBack,

    /// <summary>The store is away for two seconds, and then without the latest writes.</summary>
    Promote,

    /// <summary>The clock of a node jumps.</summary>
    ClockJump,

    /// <summary>The balancer forgets where devices belong.</summary>
    Forget,

    /// <summary>Somebody sends again what he recorded of a device.</summary>
    Replay,
}
