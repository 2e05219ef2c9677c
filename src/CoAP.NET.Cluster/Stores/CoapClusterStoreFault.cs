namespace CoAP.NET.Cluster.Stores;

/// <summary>The reason why the store of a cluster failed.</summary>
internal enum CoapClusterStoreFault
{
    /// <summary>The store is not reachable, for example while a database restarts or a network is down. Retry.</summary>
    Unavailable,

    /// <summary>The store did not answer in time. Retry.</summary>
    TimedOut,

    /// <summary>There is no space left, for example on a full disk. Retry after space was freed.</summary>
    Full,

    /// <summary>Too many calls are pending. Retry later.</summary>
    Busy,

    /// <summary>The stored data are unreadable: truncated, modified, or in another format.</summary>
    Corrupt,

    /// <summary>Another process uses the store, which serves one process at a time.</summary>
    InUse,

    /// <summary>
    /// This version of the library cannot use the store: another version wrote the data, or the connection to the database does not allow
    /// what the store needs.
    /// </summary>
    Incompatible,

    /// <summary>Access is denied: permissions are missing, or user name or password are wrong.</summary>
    Denied,

    /// <summary>The node has another secret than the cluster (<see cref="CoapClusterOptions.Secrets"/>), and does not join.</summary>
    OtherSecret,

    /// <summary>
    /// The store is gone, or is another or older one than before. Numbers would be used twice: reserved ones are not used any more either,
    /// until the same store is back, or an operator confirms the loss.
    /// </summary>
    Lost,
}
