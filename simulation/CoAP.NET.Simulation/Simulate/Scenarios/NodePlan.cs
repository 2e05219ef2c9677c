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

    public CoapQBlock QBlock { get; init; }

    public CoapRetransmissionTiming Timing { get; init; }

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
