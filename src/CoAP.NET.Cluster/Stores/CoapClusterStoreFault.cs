namespace CoAP.NET.Cluster;

/// <summary>Why an <see cref="ICoapClusterStore"/> failed.</summary>
public enum CoapClusterStoreFault
{
    /// <summary>It is away, as when a database restarts or a network is cut. Asking again may help.</summary>
    Unavailable,

    /// <summary>It did not answer in time. Asking again may help.</summary>
    TimedOut,

    /// <summary>There is no room, as on a full disk. Asking again helps when somebody made room.</summary>
    Full,

    /// <summary>Too many calls wait for it already. Asking again may help.</summary>
    Busy,

    /// <summary>What it has cannot be read: it was cut, changed, or is something else.</summary>
    Corrupt,

    /// <summary>Another process has it, and it serves one at a time.</summary>
    InUse,

    /// <summary>A newer version of the library wrote it.</summary>
    Incompatible,

    /// <summary>It may not be used: permissions or a password are missing.</summary>
    Denied,
}
