namespace CoAP.NET.Oscore;

/// <summary>Why there is no sequence number: an <see cref="IOscoreStore"/> failed, or all are used.</summary>
public enum OscoreStoreFault
{
    /// <summary>The store could not write or read the state, as when a disk is full. A retry may help.</summary>
    Failed,

    /// <summary>The stored bytes are not a state, are truncated, or belong to another context. Never treat them as a new one.</summary>
    Corrupt,

    /// <summary>Another process has the store.</summary>
    InUse,

    /// <summary>The context was opened again, here or by another process, which sends from now on. Final for this one.</summary>
    Superseded,

    /// <summary>The store did not answer in time. A retry may help.</summary>
    TimedOut,

    /// <summary>
    /// All 2^40 sequence numbers of the context are used (RFC 8613 section 7.2.1). Agree on a new Master Secret, or run EDHOC.
    /// </summary>
    Exhausted,
}
