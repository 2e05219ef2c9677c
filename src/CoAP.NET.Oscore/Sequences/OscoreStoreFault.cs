namespace CoAP.NET.Oscore;

/// <summary>Why an <see cref="IOscoreStore"/> failed.</summary>
public enum OscoreStoreFault
{
    /// <summary>The state could not be written or read, as when a disk is full. Asking again may help.</summary>
    Failed,

    /// <summary>What was read is no state, is cut, or belongs to another context. It must not be taken for a new one.</summary>
    Corrupt,

    /// <summary>Another process has the store.</summary>
    InUse,

    /// <summary>The context was opened again, here or by another process, which sends from now on. Final for this one.</summary>
    Superseded,

    /// <summary>The store did not answer in time. Asking again may help.</summary>
    TimedOut,
}
