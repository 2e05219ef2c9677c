namespace CoAP.NET.Cluster;

/// <summary>Whether a store takes what it is given.</summary>
/// <param name="Failure">Why it last did not; null while it does.</param>
/// <param name="Since">Since when that is so.</param>
public sealed record CoapStoreHealth(CoapClusterStoreException? Failure, DateTimeOffset Since)
{
    /// <summary>Whether the server goes on without the store: what it promised before holds, and what is new waits.</summary>
    public bool IsDegraded => Failure is not null;
}
