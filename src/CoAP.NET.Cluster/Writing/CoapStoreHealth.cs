namespace CoAP.NET.Cluster.Writing;

/// <summary>Whether a store accepts leases and changes.</summary>
/// <param name="Failure">Its last failure; null while it works.</param>
/// <param name="Since">The time since which it works or fails.</param>
internal sealed record CoapStoreHealth(CoapClusterStoreException? Failure, DateTimeOffset Since)
{
    /// <summary>Whether the server continues without the store: confirmed promises hold, and new changes wait.</summary>
    public bool IsDegraded => Failure is not null;
}
