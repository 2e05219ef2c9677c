namespace CoAP.NET.Cluster.Observing;

/// <summary>The counters of the stored observers of a server.</summary>
internal sealed record CoapClusterObserverCounters
{
    /// <summary>Changes that wait for the store.</summary>
    public int Waiting { get; init; }

    /// <summary>Changes dropped because too many waited: the observer continues, but does not survive a crash.</summary>
    public long Dropped { get; init; }

    /// <summary>Registrations that ended before they were written.</summary>
    public long Undone { get; init; }

    /// <summary>Registrations that are too long for a record.</summary>
    public long TooLong { get; init; }

    /// <summary>Observers that were loaded and wait for their session, or for their turn to be restored.</summary>
    public int Awaited { get; init; }

    public long Restored { get; init; }

    /// <summary>Observers not restored because no route serves them, or because a limit of the endpoint was reached.</summary>
    public long Refused { get; init; }

    /// <summary>Observers removed because the session of their client did not return.</summary>
    public long Expired { get; init; }
}
