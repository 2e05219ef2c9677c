namespace CoAP.NET.Survival.Scenarios;

/// <summary>How large a scenario is.</summary>
/// <param name="IsSelfCheck">Whether it is only seen whether all works: times are not judged.</param>
/// <param name="Devices">How many devices there are.</param>
/// <param name="Times">How often they ask.</param>
/// <param name="Sleep">How long a node sleeps.</param>
/// <param name="Stall">How long a store stalls.</param>
/// <param name="Away">How long a store is away.</param>
/// <param name="Lease">For how long nodes count as there, in seconds.</param>
/// <param name="Restored">How many sessions are restored.</param>
/// <param name="Simulated">How many devices are simulated for the database.</param>
/// <param name="Seconds">How long costs are measured each time.</param>
internal sealed record Sizes(
    bool IsSelfCheck, int Devices, DeviceTimes Times, TimeSpan Sleep, TimeSpan Stall, TimeSpan Away, int Lease, int Restored, int Simulated,
    int Seconds)
{
    private const int DevicesOfProcess = 5_000;

    /// <summary>Whether nodes say all that they log.</summary>
    public bool IsVerbose { get; init; }

    /// <summary>The name of the balancer (<see cref="BalancerOptions.Names"/>).</summary>
    public string Balancer { get; init; } = BalancerOptions.Names[0];

    /// <summary>What rows are called by, beside what happens: the balancer, if it is not the first one.</summary>
    public string RowSuffix => Balancer == BalancerOptions.Names[0] ? "" : $", balancer {Balancer}";

    /// <summary>The large form.</summary>
    public static Sizes Large { get; } = new(
        false, 30_000, new DeviceTimes(TimeSpan.FromSeconds(10), 5, TimeSpan.FromSeconds(2), 10),
        Sleep: TimeSpan.FromSeconds(20), Stall: TimeSpan.FromSeconds(12), Away: TimeSpan.FromSeconds(60), Lease: 5, Restored: 100_000,
        Simulated: 300_000, Seconds: 30);

    /// <summary>After how long without an answer a device doubts its session at the earliest (docs/dtls.md).</summary>
    public static TimeSpan Doubt { get; } = CoapTransmissionParameters.Default.MaxTransmitSpan;

    /// <summary>The small form.</summary>
    public static Sizes Small { get; } = new(
        true, 30, new DeviceTimes(TimeSpan.FromMilliseconds(50), 5, TimeSpan.FromSeconds(2), 2),
        Sleep: TimeSpan.FromSeconds(4), Stall: TimeSpan.FromSeconds(3), Away: TimeSpan.FromSeconds(3), Lease: 1, Restored: 60,
        Simulated: 600, Seconds: 1);

    /// <summary>How many devices each process has.</summary>
    public IEnumerable<int> Processes()
    {
        for (int left = Devices; left > 0; left -= DevicesOfProcess)
        {
            yield return Math.Min(left, DevicesOfProcess);
        }
    }
}
