namespace CoAP.NET.Simulation.Congestion;

/// <summary>A network and the load on it: clients that ask one server, each for one thing after the other, without a pause.</summary>
public sealed record CongestionScenario
{
    /// <summary>The table that it stands in.</summary>
    public required string Table { get; init; }

    /// <summary>The row.</summary>
    public required string Name { get; init; }

    /// <summary>How many clients, each on a host of its own.</summary>
    public int Clients { get; init; } = 1;

    /// <summary>Both directions, with what each has for itself, such as a bottleneck.</summary>
    public required Func<NetworkConditions> Conditions { get; init; }

    /// <summary>The conditions from a time on, in turn.</summary>
    public IReadOnlyList<(TimeSpan At, NetworkConditions Conditions)> Changes { get; init; } = [];

    /// <summary>The size of a response, in bytes.</summary>
    public int PayloadLength { get; init; } = 50;

    /// <summary>A client ends after so many requests.</summary>
    public int Requests { get; init; } = 300;

    /// <summary>The longest time.</summary>
    public TimeSpan Duration { get; init; } = TimeSpan.FromHours(1);

    /// <summary>All that are measured.</summary>
    public static IReadOnlyList<CongestionScenario> All { get; } = [.. Lossy(1), .. Lossy(10), .. Narrow(), .. Changing()];

    private static IEnumerable<CongestionScenario> Lossy(int clients) =>
        from roundTrip in new[] { 1, 100, 1000 }
        from loss in new[] { 0, 1, 10, 30 }
        select new CongestionScenario
        {
            Table = clients == 1 ? "One client, losses at random" : $"{clients} clients, losses at random",
            Name = $"{roundTrip} ms, {loss} %",
            Clients = clients,
            Requests = clients == 1 ? 300 : 100,
            Conditions = () => NetworkConditions.Delayed(TimeSpan.FromMilliseconds(roundTrip / 2.0)) with { Loss = loss / 100.0 },
        };

    private static IEnumerable<CongestionScenario> Narrow() =>
        from row in new (int Clients, int Rate, int Queue)[]
        {
            (10, 2500, 5), (10, 2500, 50), (10, 500, 5), (10, 500, 50), (50, 2500, 10), (50, 2500, 200), (50, 500, 10), (50, 500, 200)
        }
        select new CongestionScenario
        {
            Table = "A bottleneck in each direction, round trip 100 ms without it",
            Name = $"{row.Clients} clients, {row.Rate} B/s, queue {row.Queue}",
            Clients = row.Clients,
            Requests = int.MaxValue,
            Duration = TimeSpan.FromMinutes(15),
            Conditions = () =>
                NetworkConditions.Delayed(TimeSpan.FromMilliseconds(50)) with { Bottleneck = new NetworkBottleneck(row.Rate, row.Queue) },
        };

    private static IEnumerable<CongestionScenario> Changing() =>
        from loss in new[] { 0, 10 }
        select new CongestionScenario
        {
            Table = "A round trip of 10 ms that becomes one of 5 s after a second, for five minutes",
            Name = $"one client, {loss} %",
            Requests = int.MaxValue,
            Duration = TimeSpan.FromSeconds(301),
            Conditions = () => NetworkConditions.Delayed(TimeSpan.FromMilliseconds(5)) with { Loss = loss / 100.0 },
            Changes = [(TimeSpan.FromSeconds(1), NetworkConditions.Delayed(TimeSpan.FromSeconds(2.5)) with { Loss = loss / 100.0 })],
        };
}
