namespace CoAP.NET;

/// <summary>
/// An endpoint as it was at one moment, for people who look for a reason (<see cref="CoapEndpoint.GetSnapshot"/>). Never changes. Peers are
/// looked at one after another, so that numbers of different peers may be some microseconds apart.
/// </summary>
public sealed class CoapSnapshot
{
    internal CoapSnapshot()
    {
    }

    /// <summary>When it was taken.</summary>
    public required DateTimeOffset Time { get; init; }

    /// <summary>The name of the endpoint (<see cref="CoapEndpointOptions.Name"/>); null when it has none.</summary>
    public required string? Name { get; init; }

    /// <summary>The addresses that it listens on, as URIs.</summary>
    public required IReadOnlyList<string> LocalEndpoints { get; init; }

    /// <summary>The counters that are not zero.</summary>
    public required IReadOnlyDictionary<CoapCounter, long> Counters { get; init; }

    /// <summary>Requests whose handler has not answered yet.</summary>
    public required int ActiveRequests { get; init; }

    /// <summary>Observers of our resources.</summary>
    public required int Observers { get; init; }

    /// <summary>Resources of peers that are observed.</summary>
    public required int Observations { get; init; }

    /// <summary>Connections of reliable transports.</summary>
    public required int Connections { get; init; }

    /// <summary>The shards, in their order.</summary>
    public required IReadOnlyList<CoapShardSnapshot> Shards { get; init; }

    /// <summary>How much of each bound of <see cref="CoapLimits"/> is taken that the whole endpoint has.</summary>
    public required IReadOnlyList<CoapBoundSnapshot> Bounds { get; init; }

    /// <summary>The routes that have observers, those with most first; 1,000 at most.</summary>
    public required IReadOnlyList<CoapRouteSnapshot> ObservedRoutes { get; init; }

    /// <summary>The peers that were asked for, those first that were heard last.</summary>
    public required IReadOnlyList<CoapPeerSnapshot> Peers { get; init; }

    /// <summary>Whether there are more peers that fit than were asked for.</summary>
    public required bool IsTruncated { get; init; }

    /// <summary>The most important numbers, for people.</summary>
    /// <returns>The text.</returns>
    public override string ToString() =>
        $"{Name ?? "CoAP endpoint"} at {Time:O}: {Shards.Sum(static shard => shard.Peers)} peers, {Connections} "
            + $"connections, {ActiveRequests} active requests, {Observers} observers, {Observations} observations";
}
