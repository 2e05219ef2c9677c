using CoAP.NET.QBlock;

namespace CoAP.NET.Simulation.Congestion;

/// <summary>A network, and clients that transfer one large body each, all at the same time.</summary>
public sealed record TransferScenario
{
    /// <summary>The table that it stands in.</summary>
    public required string Table { get; init; }

    /// <summary>The row.</summary>
    public required string Name { get; init; }

    /// <summary>How many clients, each on a host of its own.</summary>
    public int Clients { get; init; } = 1;

    /// <summary>The length of a body in bytes.</summary>
    public int Length { get; init; } = 5 << 20;

    /// <summary>Whether the clients send their bodies; otherwise they fetch them.</summary>
    public bool IsUpload { get; init; }

    /// <summary>Both directions, with what each has for itself, such as a bottleneck.</summary>
    public required Func<NetworkConditions> Conditions { get; init; }

    /// <summary>All that are measured.</summary>
    public static IReadOnlyList<TransferScenario> All { get; } = [.. Lossy(false), .. Lossy(true), .. Narrow()];

    private static IEnumerable<TransferScenario> Lossy(bool isUpload) =>
        from roundTrip in new[] { 20, 100, 500 }
        from loss in new[] { 0, 1, 5 }
        select new TransferScenario
        {
            Table = isUpload ? "Upload of 5 MiB" : "Download of 5 MiB",
            Name = $"{roundTrip} ms, {loss} %",
            IsUpload = isUpload,
            Conditions = () => NetworkConditions.Delayed(TimeSpan.FromMilliseconds(roundTrip / 2.0)) with { Loss = loss / 100.0 },
        };

    private static IEnumerable<TransferScenario> Narrow() =>
        from row in new (int Clients, int Length, int Rate, int Queue)[]
        {
            (4, 64 << 10, 2500, 2), (4, 64 << 10, 2500, 50), (20, 64 << 10, 10_000, 5), (20, 64 << 10, 10_000, 100),
            (20, 16 << 10, 2500, 5), (20, 16 << 10, 2500, 100),
        }
        select new TransferScenario
        {
            Table = "Downloads that share a bottleneck, round trip 100 ms without it",
            Name = $"{row.Clients} clients, {row.Length >> 10} KiB each, {row.Rate} B/s, queue {row.Queue}",
            Clients = row.Clients,
            Length = row.Length,
            Conditions = () =>
                NetworkConditions.Delayed(TimeSpan.FromMilliseconds(50)) with { Bottleneck = new NetworkBottleneck(row.Rate, row.Queue) },
        };
}

/// <summary>How bodies travel: a column of the tables.</summary>
/// <param name="Name">The head of the column.</param>
/// <param name="Timing">How long messages wait for their acknowledgement.</param>
/// <param name="QBlock">Whether the endpoints use Q-Block.</param>
public sealed record TransferWay(string Name, CoapRetransmissionAlgorithm Timing, CoapQBlockPolicy QBlock)
{
    /// <summary>All that are compared.</summary>
    public static IReadOnlyList<TransferWay> All { get; } =
    [
        new("Rfc7252", CoapRetransmissionAlgorithm.Rfc7252, CoapQBlockPolicy.Off),
        new("Default", CoapRetransmissionAlgorithm.Default, CoapQBlockPolicy.Off),
        new("Fasor", CoapRetransmissionAlgorithm.Fasor, CoapQBlockPolicy.Off),
        new("Q-Block", CoapRetransmissionAlgorithm.Default, CoapQBlockPolicy.AllowUnsecured),
    ];
}
