namespace CoAP.NET.Cli.Bench.Tests.Running;

/// <summary>Runs that take some seconds, as their ticks or repetitions do; apart, so that others need not wait for them.</summary>
public sealed class LoadRunnerPhaseTests
{
    private static readonly TimeSpan s_hang = TimeSpan.FromSeconds(60);

    [Fact]
    public async Task The_warm_up_is_not_measured_and_progress_tells_the_phases()
    {
        await using TestServer server = await TestServer.StartAsync();
        Ticks ticks = new();
        LoadResult result = await RunAsync(Plan(server.Uri + "/hello") with { RampSeconds = 0.1, WarmUpSeconds = 1.2, Seconds = 1.3 },
            ticks);
        Assert.InRange(result.Count, 1, server.Count - 1);
        Assert.Equal(["warming up", "measuring", "ending"], ticks.All.Select(static tick => tick.Phase).Distinct());
        Assert.All(ticks.All, static tick => Assert.Equal((4, 2.6), (tick.Peers, Math.Round(tick.Whole.TotalSeconds, 6))));
        Assert.NotEmpty(result.Series);
        Assert.Contains(result.Series, static second => second.PerSecond > 0 && second.P50 > 0 && second.P99 >= second.P50);
    }

    [Fact]
    public async Task What_is_repeated_is_not_lost()
    {
        // The first of all is dropped. The loop goes on until the second copy of it was answered.
        await using LossyServer server = new(static index => index == 0);
        LoadResult result = await RunAsync(Plan(server.Uri) with { Peers = 1, TimeoutSeconds = 30, Retransmissions = 4 });
        Assert.Equal((1, 0), (server.Dropped, result.Lost));
        Assert.Equal(server.Answered, result.Count);
    }

    private static LoadPlan Plan(string uri) => new() { Uri = uri, Peers = 4, Seconds = 0.15, WarmUpSeconds = 0, RampSeconds = 0 };

    private static Task<LoadResult> RunAsync(LoadPlan plan, IProgress<LoadTick>? progress = null) =>
        LoadRunner.RunAsync(plan, progress, LoadGate.Open, CancellationToken.None).WaitAsync(s_hang, CancellationToken.None);

    private sealed class Ticks : IProgress<LoadTick>
    {
        public List<LoadTick> All { get; } = [];

        public void Report(LoadTick value) => All.Add(value);
    }
}
