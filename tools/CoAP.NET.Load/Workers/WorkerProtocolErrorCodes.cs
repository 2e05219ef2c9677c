namespace CoAP.NET.Load.Workers;

/// <summary>The kinds of <see cref="DistributedRunException"/>, and of errors in the protocol.</summary>
internal static class WorkerProtocolErrorCodes
{
    /// <summary>No process answers at the address.</summary>
    public const string Unreachable = "unreachable";

    /// <summary>The two sides have different versions.</summary>
    public const string Version = "version";

    /// <summary>The word is missing or wrong.</summary>
    public const string Key = "key";

    /// <summary>The worker already has a run.</summary>
    public const string Busy = "busy";

    /// <summary>A line that is invalid, too long, or out of turn.</summary>
    public const string Protocol = "protocol";

    /// <summary>The other side took too long.</summary>
    public const string TimeOut = "time-out";

    /// <summary>The connection ended.</summary>
    public const string Lost = "lost";

    /// <summary>The run itself failed.</summary>
    public const string Failed = "failed";

    /// <summary>The coordinator ended the run before it measured anything.</summary>
    public const string Cancelled = "cancelled";

    /// <summary>A user stopped the worker.</summary>
    public const string Stopped = "stopped";
}
