namespace CoAP.NET.Hosting.Server;

/// <summary>The progress of a hosted server from its start to its stop.</summary>
internal enum ServerPhase
{
    /// <summary>It has not started.</summary>
    NotStarted,

    Serving,

    /// <summary>It finishes pending requests.</summary>
    Stopping,

    Stopped,

    /// <summary>It has failed.</summary>
    Failed,
}
