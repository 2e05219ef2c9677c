namespace CoAP.NET.Simulation.Simulate;

/// <summary>Something that must never be, and was.</summary>
/// <param name="Check">Which rule.</param>
/// <param name="What">What was seen.</param>
/// <param name="Time">When.</param>
/// <param name="Nodes">Where.</param>
internal sealed record Violation(CheckKind Check, string What, TimeSpan Time, IReadOnlyList<int> Nodes)
{
    public override string ToString() => $"{Check} at {Time.TotalSeconds:F3} s: {What}";
}

/// <summary>What holds in every run.</summary>
internal enum CheckKind
{
    /// <summary>Each request ends, within its time.</summary>
    Ends,

    /// <summary>It ends with an answer, a typed error or, where it was cancelled, with that.</summary>
    TypedError,

    /// <summary>The answer is the one to this request.</summary>
    RightAnswer,

    /// <summary>A handler that is not idempotent runs once for an exchange.</summary>
    RunsOnce,

    /// <summary>Bodies arrive byte by byte as they were.</summary>
    Bodies,

    /// <summary>Observers never see time go back.</summary>
    Order,

    /// <summary>Observers have the last state when the network is well again.</summary>
    LastState,

    /// <summary>No table outgrows its bound.</summary>
    Bounds,

    /// <summary>Every buffer comes back.</summary>
    Buffers,

    /// <summary>When nothing happens any more nothing is kept.</summary>
    Quiet,

    /// <summary>No timer waits for nothing.</summary>
    Timers,

    /// <summary>Nothing is logged as an error that was not meant to fail.</summary>
    Errors,

    /// <summary>Nothing of the library leaves the thread of the run.</summary>
    OneThread,

    /// <summary>The same scenario gives the same run, bit for bit.</summary>
    SameAgain,
}
