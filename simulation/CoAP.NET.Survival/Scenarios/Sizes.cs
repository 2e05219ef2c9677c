using CoAP.NET.Survival.Balancing;
using CoAP.NET.Survival.Devices;

namespace CoAP.NET.Survival.Scenarios;

/// <summary>How large a scenario is.</summary>
/// <param name="IsSelfCheck">Whether it is only seen whether all works: times are not judged.</param>
/// <param name="Devices">How many devices there are.</param>
/// <param name="Times">How often they ask.</param>
/// <param name="Sleep">How long a node sleeps.</param>
/// <param name="Lease">For how long nodes count as there, in seconds.</param>
/// <param name="Restored">How many sessions are restored.</param>
/// <param name="Simulated">How many devices are simulated for the database.</param>
/// <param name="Seconds">How long costs are measured each time.</param>
internal sealed record Sizes(
    bool IsSelfCheck, int Devices, DeviceTimes Times, TimeSpan Sleep, int Lease, int Restored, int Simulated, int Seconds)
{
    private const int DevicesOfProcess = 5_000;

    /// <summary>Whether nodes say all that they log.</summary>
    public bool IsVerbose { get; init; }

    /// <summary>The engines by which nodes that share a PostgreSQL work together; the first one is built in.</summary>
    public static string[] Engines { get; } = ["links", "orleans"];

    /// <summary>Whether nodes work together by Orleans.</summary>
    public bool IsOnOrleans { get; init; }

    /// <summary>The name of the balancer (<see cref="BalancerOptions.Names"/>).</summary>
    public string Balancer { get; init; } = BalancerOptions.Names[0];

    /// <summary>What rows are called by, beside what happens: engine and balancer, if they are not the first ones.</summary>
    public string RowSuffix => (IsOnOrleans ? ", Orleans" : "") + (Balancer == BalancerOptions.Names[0] ? "" : $", balancer {Balancer}");

    /// <summary>The large form.</summary>
    public static Sizes Large { get; } = new(
        false, 30_000, new DeviceTimes(TimeSpan.FromSeconds(10), 5, TimeSpan.FromSeconds(2), 10),
        TimeSpan.FromSeconds(20), 5, 100_000, 300_000,
        30);

    /// <summary>After how long without an answer a device doubts its session at the earliest (docs/dtls.md).</summary>
    public static TimeSpan Doubt { get; } = CoapTransmissionParameters.Default.MaxTransmitSpan;

    /// <summary>The small form.</summary>
    public static Sizes Small { get; } = new(
        true, 30, new DeviceTimes(TimeSpan.FromMilliseconds(50), 5, TimeSpan.FromSeconds(2), 2), TimeSpan.FromSeconds(4), 1, 60, 600, 1);

    /// <summary>How many devices each process has.</summary>
    public IEnumerable<int> Processes()
    {
        for (int left = Devices; left > 0; left -= DevicesOfProcess)
        {
            yield return Math.Min(left, DevicesOfProcess);
        }
    }
}
