namespace CoAP.NET.Hosting.Server;

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
