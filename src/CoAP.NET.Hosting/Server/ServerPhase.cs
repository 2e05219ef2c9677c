namespace CoAP.NET.Hosting;

/// <summary>The state of a hosted server.</summary>
internal enum ServerPhase
{
    /// <summary>It has not started.</summary>
    NotStarted,

    /// <summary>It serves.</summary>
    Serving,

    /// <summary>It finishes pending requests.</summary>
    Stopping,

    /// <summary>It has stopped.</summary>
    Stopped,

    /// <summary>It has failed.</summary>
    Failed,
}
