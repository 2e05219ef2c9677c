namespace CoAP.NET.Observing.Server;

/// <summary>The progress of the handler runs of an <see cref="ObservedSubject"/>.</summary>
internal enum SubjectState : byte
{
    /// <summary>No run is requested, or the timer will request one.</summary>
    /// <remarks>A run has a result; the server has no room for a run; or no sequence number is free.</remarks>
    Idle,

    /// <summary>A run waits for a tick of the shard's clock.</summary>
    /// <remarks>The resource changes while an observer is idle; an observer awaits a run; or a run had no result for 5 minutes.</remarks>
    Queued,

    /// <summary>The handler runs.</summary>
    /// <remarks>The tick comes.</remarks>
    Running,

    /// <summary>The handler runs, and another run has been requested since it started.</summary>
    /// <remarks>The resource changes while an observer is idle, or an observer awaits a run.</remarks>
    RunsAgain,

    /// <summary>It cannot be found any more.</summary>
    /// <remarks>The last observer leaves, also because the run has an error.</remarks>
    Gone,
}
