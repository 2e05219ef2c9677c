using CoAP.NET.Load.Figures;

namespace CoAP.NET.Load.Tests;

/// <summary>Real clock: the load generator measures real time.</summary>
public sealed class ObserveLoopTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task All_observers_get_the_last_state_and_each_change_is_timed_at_each_observer(bool hasAddresses)
    {
        await LongEnough.RunAsync(async factor =>
        {
            await using NumberServer server = await NumberServer.StartAsync("300", number => number);
            LoadResult result = await server.RunAsync(server.Plan(rate: 40, factor), hasAddresses: hasAddresses);
            Assert.Empty(result.Errors);
            Assert.Equal((12, 0), (result.Converged, result.Lost));
            if (result.Changes == 0 || result.Count == 0 || result.Histogram().Count < 12 * result.Changes)
            {
                // The last change reached an observer after the end.
                return false;
            }

            Assert.Equal(12 * result.Changes, result.Histogram().Count);
            Assert.Equal(result.Changes, LoadResult.ToHistogram(result.ChangeTimes).Count);
            Assert.Equal(result.Seconds, result.Series[^1].At);
            Assert.True(result.OwnProcessorSeconds > 0);
            Assert.Equal(0, server.ObserverCount);
            return true;
        });
    }

    [Fact]
    public async Task A_run_without_a_rate_counts_the_notifications_of_changes_made_by_others()
    {
        await LongEnough.RunAsync(async factor =>
        {
            await using NumberServer server = await NumberServer.StartAsync("warm", null);
            int observers = 0;
            LoadResult result = await server.RunAsync(server.Plan(rate: 0) with { Seconds = 1.5 * factor }, AtMeasuring(() =>
            {
                observers = server.ObserverCount;
                server.Set("hot");
            }));
            Assert.Empty(result.Errors);
            Assert.Equal((12, null, 0), (observers, result.Converged, result.Changes));
            Assert.Empty(result.Times);
            if (result.Count < 12)
            {
                return false;
            }

            Assert.Equal(12, result.Count);
            Assert.Equal(12,
                result.Series.Zip(result.Series.Prepend(default), (second, before) => second.PerSecond * (second.At - before.At)).Sum(),
                tolerance: 0.01);
            return true;
        });
    }

    [Fact]
    public async Task A_worker_without_the_first_peer_makes_no_changes_and_reads_the_last_state_from_the_resource()
    {
        await LongEnough.RunAsync(async factor =>
        {
            await using NumberServer server = await NumberServer.StartAsync("1", null);
            LoadResult result = await server.RunAsync(server.Plan(rate: 40) with { FirstPeer = 12, Seconds = 1.5 * factor },
                AtMeasuring(() => server.Set(41)));
            Assert.Empty(result.Errors);
            Assert.Equal((12, 0), (result.Converged, result.Changes));
            Assert.Empty(result.Times);
            return result.Count == 12;
        });
    }

    [Fact]
    public async Task A_run_that_is_cancelled_before_the_measurement_has_no_result()
    {
        await using NumberServer server = await NumberServer.StartAsync("1", number => number);
        using CancellationTokenSource cancel = new();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() =>
            server.RunAsync(server.Plan(rate: 40) with { Seconds = 1000 }, AtMeasuring(cancel.Cancel), cancellationToken: cancel.Token));
    }

    [Fact]
    public async Task A_run_that_is_cancelled_later_has_the_results_until_then()
    {
        await using NumberServer server = await NumberServer.StartAsync("1", number => number);
        using CancellationTokenSource cancel = new();
        Action<LoadProgress> atOnce = tick =>
        {
            if (tick is { Phase: "measuring", PerSecond: > 0 })
            {
                cancel.Cancel();
            }
        };
        LoadResult result = await server.RunAsync(server.Plan(rate: 40) with { Seconds = 1000 }, atOnce, cancellationToken: cancel.Token);
        Assert.InRange(result.Seconds, 0.1, 500);
        Assert.Equal(result.Seconds, result.Series[^1].At);
        Assert.True(result.Count > 0 && result.Changes > 0);
    }

    [Fact]
    public async Task The_progress_reports_each_phase_and_all_peers()
    {
        await using NumberServer server = await NumberServer.StartAsync("1", number => number);
        List<LoadProgress> ticks = [];
        await server.RunAsync(server.Plan(rate: 40), ticks.Add);
        Assert.Equal(["connecting", "warming up", "measuring", "ending"], ticks.Select(tick => tick.Phase).Distinct());
        Assert.All(ticks.Where(tick => tick.Phase == "measuring"), tick => Assert.Equal(12, tick.Peers));
        Assert.All(ticks, tick => Assert.True(tick.Elapsed <= tick.Whole));
    }

    private static Action<LoadProgress> AtMeasuring(Action act)
    {
        bool isDone = false;
        return tick =>
        {
            if (tick.Phase == "measuring" && !isDone)
            {
                isDone = true;
                act();
            }
        };
    }
}
