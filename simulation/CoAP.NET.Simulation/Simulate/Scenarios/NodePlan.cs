using CoAP.NET.QBlock;

namespace CoAP.NET.Simulation.Simulate;

/// <summary>
/// An endpoint of a scenario: what it does and how narrow its limits are. 0 leaves a limit at its default. Times are milliseconds.
/// </summary>
internal sealed record NodePlan
{
    public int Index { get; init; }

    public bool Serves { get; init; }

    /// <summary>The node that it asks for what it is asked at <c>/forward</c>; -1 for none.</summary>
    public int ForwardsTo { get; init; } = -1;

    public int Shards { get; init; } = 1;

    public int NStart { get; init; } = 1;

    public bool ProbesFreely { get; init; }

    public int MaxRetransmit { get; init; } = 4;

    public int BlockSize { get; init; } = 1024;

    public int MaxQueuedRequests { get; init; } = 1000;

    public CoapQBlockPolicy QBlock { get; init; }

    public CoapRetransmissionAlgorithm Timing { get; init; }

    public int MaxRequestsServed { get; init; }

    public int MaxOutstandingMessages { get; init; }

    public int MaxObservers { get; init; }

    public int MaxObservations { get; init; }

    /// <summary>A bound that lets nothing in, as 0 is the usual one.</summary>
    public const int Nothing = -1;

    public int MaxChannels { get; init; }

    public int NewcomerBytes { get; init; }

    public int DeduplicationBytes { get; init; }

    public int MaxAssemblyBytes { get; init; }

    /// <summary><see cref="Nothing"/> for a server that keeps no answer for who fetches it.</summary>
    public int MaxRepresentationBytes { get; init; }

    /// <summary>The Max-Age of observable resources, in seconds.</summary>
    public int MaxAge { get; init; } = 60;

    public bool NotifiesNonConfirmable { get; init; }
}

/// <summary>The resources of a node that serves.</summary>
internal enum SimulatedRoute
{
    /// <summary>Answers on the thread that receives.</summary>
    Plain,

    /// <summary>One request at a time, two wait.</summary>
    Queued,

    /// <summary>One request at a time, on the receiving thread if it can be.</summary>
    Serial,

    /// <summary>Only requests that an Echo shows to be fresh.</summary>
    Fresh,

    /// <summary>Answers 4.29 to every second request.</summary>
    Limited,

    /// <summary>Asks another node.</summary>
    Forward,

    /// <summary>Observable, of a few bytes.</summary>
    State,

    /// <summary>Observable, of several blocks.</summary>
    LargeState,
}
