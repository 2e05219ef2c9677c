using CoAP.NET.Load.Figures;
using CoAP.NET.Load.Plans;
using CoAP.NET.Load.Running;

namespace CoAP.NET.Load.Tests.Running;

/// <summary>Runs that take some seconds, as their ticks or repetitions do; apart, so that others need not wait for them.</summary>
/// <remarks>Real clock: the load generator measures real time.</remarks>
public sealed class LoadRunnerPhaseTests
{
    private static readonly TimeSpan s_hang = FromSeconds(240);

    [Fact]
    public async Task The_warm_up_is_not_measured_and_the_progress_reports_the_phases()
    {
        await LongEnough.RunAsync(async factor =>
        {
            await using TestServer server = await TestServer.StartAsync();
            Ticks ticks = new();
            LoadPlan plan = Plan(server.Uri + "/hello") with
            {
                RampSeconds = 0.1,
                WarmUpSeconds = 1.2 * factor,
                Seconds = 1.3 * factor
            };
            LoadResult result = await RunAsync(plan, ticks);
            Assert.Equal(["warming up", "measuring", "ending"], ticks.All.Select(tick => tick.Phase).Distinct());
            Assert.All(ticks.All, tick => Assert.Equal(0.1 + (2.5 * factor), tick.Whole.TotalSeconds, tolerance: 1e-5));

            // A machine that is busy enough tells a second of the ramp.
            Assert.All(ticks.All.Where(tick => tick.Phase != "warming up"), tick => Assert.Equal(4, tick.Peers));
            Assert.NotEmpty(result.Series);
            Assert.InRange(result.Count, 0, server.Count);

            // Some answers came in the warm-up, and some in a second that was told of.
            return result.Count > 0 && result.Count < server.Count
                && result.Series.Any(second => second.PerSecond > 0 && second.P50 > 0 && second.P99 >= second.P50);
        });
    }

    [Fact]
    public async Task A_retransmitted_request_is_not_counted_as_lost()
    {
        // The first of all is dropped. The loop goes on until the second copy of it was answered.
        await LongEnough.RunAsync(async factor =>
        {
            await using LossyServer server = new(index => index == 0);
            LoadResult result = await RunAsync(
                Plan(server.Uri) with { Peers = 1, TimeoutSeconds = 30, Retransmissions = 4, Seconds = 0.15 * factor });
            Assert.Equal(0, result.Lost);
            Assert.InRange(server.Answered, result.Count, long.MaxValue);
            return server.Dropped == 1 && result.Count > 0;
        });
    }

    private static LoadPlan Plan(string uri) => new() { Uri = uri, Peers = 4, Seconds = 0.15, WarmUpSeconds = 0, RampSeconds = 0 };

    private static Task<LoadResult> RunAsync(LoadPlan plan, IProgress<LoadProgress>? progress = null) =>
        LoadRunner.RunAsync(plan, progress, StartGate.Open, CancellationToken.None).WaitAsync(s_hang, CancellationToken.None);

    private sealed class Ticks : IProgress<LoadProgress>
    {
        public List<LoadProgress> All { get; } = [];

        public void Report(LoadProgress value) => All.Add(value);
    }
}
