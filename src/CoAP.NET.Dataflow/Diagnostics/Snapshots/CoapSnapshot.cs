namespace CoAP.NET;

/// <summary>The state of an endpoint at one moment, for diagnostics (<see cref="CoapEndpoint.GetSnapshot"/>).</summary>
/// <remarks>Immutable. Peers are visited one after another, so numbers of different peers may be some microseconds apart.</remarks>
public sealed class CoapSnapshot
{
    internal CoapSnapshot()
    {
    }

    /// <summary>The time of the snapshot.</summary>
    public required DateTimeOffset Time { get; init; }

    /// <summary>The name of the endpoint (<see cref="CoapEndpointOptions.Name"/>); null if it has none.</summary>
    public required string? Name { get; init; }

    /// <summary>The addresses that it listens on, as URIs.</summary>
    public required IReadOnlyList<string> LocalEndpoints { get; init; }

    /// <summary>The counters that are not zero.</summary>
    public required IReadOnlyDictionary<CoapCounter, long> Counters { get; init; }

    /// <summary>The number of requests whose handler has not completed yet.</summary>
    public required int ActiveRequests { get; init; }

    /// <summary>The number of observers of our resources.</summary>
    public required int Observers { get; init; }

    /// <summary>The number of observed resources of peers.</summary>
    public required int Observations { get; init; }

    /// <summary>The number of connections of reliable transports.</summary>
    public required int Connections { get; init; }

    /// <summary>The shards, in their order.</summary>
    public required IReadOnlyList<CoapShardSnapshot> Shards { get; init; }

    /// <summary>The usage of the limits of <see cref="CoapLimits"/> that apply to the whole endpoint.</summary>
    public required IReadOnlyList<CoapBoundSnapshot> Bounds { get; init; }

    /// <summary>The routes with observers, those with the most first; at most 1,000.</summary>
    public required IReadOnlyList<CoapRouteSnapshot> ObservedRoutes { get; init; }

    /// <summary>The requested peers, the most recently heard first.</summary>
    public required IReadOnlyList<CoapPeerSnapshot> Peers { get; init; }

    /// <summary>Whether more peers match than were requested.</summary>
    public required bool IsTruncated { get; init; }

    /// <summary>Returns the most important numbers, human-readable.</summary>
    /// <returns>The text.</returns>
    public override string ToString() =>
        $"{Name ?? "CoAP endpoint"} at {Time:O}: {Shards.Sum(static shard => shard.Peers)} peers, {Connections} "
            + $"connections, {ActiveRequests} active requests, {Observers} observers, {Observations} observations";
}
