namespace CoAP.NET.Hosting;

/// <summary>How far a hosted server is.</summary>
internal enum ServerPhase
{
    /// <summary>It was not started.</summary>
    NotStarted,

    /// <summary>It serves.</summary>
    Serving,

    /// <summary>It finishes what is under way.</summary>
    Stopping,

    /// <summary>It was stopped.</summary>
    Stopped,

    /// <summary>It gave up.</summary>
    Failed,
}
