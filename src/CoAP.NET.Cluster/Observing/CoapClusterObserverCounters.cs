namespace CoAP.NET.Cluster;

/// <summary>What became of observers that are kept (<see cref="CoapCluster.GetObserverCounters"/>).</summary>
public sealed record CoapClusterObserverCounters
{
    /// <summary>Changes that wait for the store now.</summary>
    public int Waiting { get; init; }

    /// <summary>Changes that were dropped for lack of room: the observer goes on, and is not there after a crash.</summary>
    public long Dropped { get; init; }

    /// <summary>Registrations that ended before they were written, so that the store never heard of them.</summary>
    public long Undone { get; init; }

    /// <summary>Registrations that cannot be kept, as they are too long.</summary>
    public long TooLong { get; init; }

    /// <summary>Observers that were read and wait for their session, or for their turn.</summary>
    public int Awaited { get; init; }

    /// <summary>Observers that were put back.</summary>
    public long Restored { get; init; }

    /// <summary>Observers that were not put back, as no route serves them any more, or a bound of the endpoint is reached.</summary>
    public long Refused { get; init; }

    /// <summary>Observers that were removed, as the session of their client did not come back.</summary>
    public long Expired { get; init; }
}
