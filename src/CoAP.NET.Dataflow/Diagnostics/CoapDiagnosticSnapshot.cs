namespace CoAP.NET;

/// <summary>The state of an endpoint at one moment, for diagnostics (<see cref="CoapEndpoint.GetSnapshot"/>).</summary>
/// <remarks>Immutable. Peers are visited one after another, so numbers of different peers may be some microseconds apart.</remarks>
public sealed class CoapDiagnosticSnapshot
{
    internal CoapDiagnosticSnapshot()
    {
    }

    /// <summary>The time of the snapshot.</summary>
    public DateTimeOffset Time { get; internal init; }

    /// <summary>The name of the endpoint (<see cref="CoapEndpointOptions.Name"/>); null if it has none.</summary>
    public string? Name { get; internal init; }

    /// <summary>The addresses that it listens on, as URIs.</summary>
    public IReadOnlyList<CoapUri> LocalEndpoints { get; internal init; } = [];

    /// <summary>The counters that are not zero.</summary>
    public IReadOnlyDictionary<string, long> Counters { get; internal init; } = null!;

    /// <summary>The number of requests whose handler has not completed yet.</summary>
    public int ActiveRequests { get; internal init; }

    /// <summary>The number of observers of our resources.</summary>
    public int Observers { get; internal init; }

    /// <summary>
    /// The number of observations of this endpoint, including those that are being cancelled. Several of one resource may share a
    /// registration.
    /// </summary>
    public int Observations { get; internal init; }

    /// <summary>The number of connections of reliable transports.</summary>
    public int Connections { get; internal init; }

    /// <summary>The shards, in their order.</summary>
    internal IReadOnlyList<CoapShardSnapshot> Shards { get; init; } = [];

    /// <summary>The usage of the limits of <see cref="CoapLimits"/> that apply to the whole endpoint.</summary>
    internal IReadOnlyList<CoapLimitSnapshot> Bounds { get; init; } = [];

    /// <summary>The numbers of observers of the routes with observers, by template; of at most 1,000 routes, those with the most.</summary>
    public IReadOnlyDictionary<string, int> ObservedRoutes { get; internal init; } = null!;

    /// <summary>The requested peers, the most recently heard first.</summary>
    public IReadOnlyList<CoapPeerSnapshot> Peers { get; internal init; } = [];

    /// <summary>Whether more peers match than were requested.</summary>
    public bool IsTruncated { get; internal init; }

    /// <summary>Returns the most important numbers, human-readable.</summary>
    /// <returns>The text.</returns>
    public override string ToString() =>
        $"{Name ?? "CoAP endpoint"} at {Time:O}: {Shards.Sum(static shard => shard.Peers)} peers, {Connections} "
            + $"connections, {ActiveRequests} active requests, {Observers} observers, {Observations} observations";
}
