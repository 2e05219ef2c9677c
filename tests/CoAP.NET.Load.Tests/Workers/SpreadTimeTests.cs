using CoAP.NET.Load.Figures;
using CoAP.NET.Load.Workers;
using CoAP.NET.Testing;

namespace CoAP.NET.Load.Tests;

/// <summary>Limits, in virtual time over real connections.</summary>
[Collection(nameof(Alone))]
public sealed class SpreadTimeTests
{
    private readonly VirtualClock _clock = new();

    private CoordinatorOptions Options => new() { Time = _clock };

    [Fact]
    public async Task A_worker_that_hangs_during_a_run_is_lost_and_the_results_of_the_others_count()
    {
        await using WorkerHost good = new(Runs.Good);
        using HandWorker hung = new();
        Task<LoadResult> running = Coordinator.RunAsync([good.Address, hung.Address], Plans.Closed, null, Options, CancellationToken.None);
        using Lines lines = await hung.AcceptUntilStartAsync();
        LoadResult result = await _clock.AdvanceUntilAsync(running, FromMinutes(1));
        Assert.Equal((5, 1, 1), (result.Count, result.Workers, result.Errors[Coordinator.WorkerLost]));

        // Ramp, warm-up, measuring, the last answers, and 30 s for the result.
        Assert.Equal(FromSeconds(1 + 1 + 5 + 1 + 30), _clock.Elapsed);
    }

    [Fact]
    public async Task The_error_for_a_worker_whose_peers_never_connect_names_the_worker()
    {
        using HandWorker hung = new();
        Task<LoadResult> running = Coordinator.RunAsync([hung.Address], Plans.Closed, null, Options, CancellationToken.None);
        using Lines lines = await hung.AcceptAsync();
        await lines.ReadAsync("hello");
        await lines.SendAsync(Lines.Welcome);
        await lines.ReadAsync("plan");

        // Ticks do not buy more time.
        await lines.SendAsync(Lines.Tick(0));
        DistributedRunException failed =
            await Assert.ThrowsAsync<DistributedRunException>(() => _clock.AdvanceUntilAsync(running, FromMinutes(5)));
        Assert.Equal($"Worker {hung.Name}: no ready within 91 s.", failed.Message);
    }

    [Fact]
    public async Task The_error_for_a_worker_that_accepts_a_connection_but_sends_nothing_names_the_worker()
    {
        using HandWorker hung = new();
        Task<LoadResult> running = Coordinator.RunAsync([hung.Address], Plans.Closed, null, Options, CancellationToken.None);
        using Lines lines = await hung.AcceptAsync();
        await lines.ReadAsync("hello");
        DistributedRunException failed =
            await Assert.ThrowsAsync<DistributedRunException>(() => _clock.AdvanceUntilAsync(running, FromMinutes(1)));
        Assert.Equal($"Worker {hung.Name}: no welcome within 10 s.", failed.Message);
    }

    [Fact]
    public async Task A_worker_that_ignores_a_cancellation_is_awaited_for_ten_seconds_only()
    {
        using CancellationTokenSource cancel = new();
        TaskCompletionSource begun = new(RunContinuationsAsynchronously);
        await using WorkerHost good = new(Runs.UntilCancelled(begun));
        using HandWorker hung = new();
        Task<LoadResult> running = Coordinator.RunAsync([good.Address, hung.Address], Plans.Closed with { Seconds = 3600 }, null, Options,
            cancel.Token);
        using Lines lines = await hung.AcceptUntilStartAsync();
        await begun.Task;
        await cancel.CancelAsync();
        await lines.ReadAsync("cancel");
        LoadResult result = await _clock.AdvanceUntilAsync(running, FromMinutes(1));
        Assert.Equal((5, 1, 1), (result.Count, result.Workers, result.Errors[Coordinator.WorkerLost]));
        Assert.Equal(FromSeconds(10), _clock.Elapsed);
    }

    [Fact]
    public async Task The_progress_of_all_workers_is_added_each_second()
    {
        Reported reported = new();
        using HandWorker a = new();
        using HandWorker b = new();
        Task<LoadResult> running = Coordinator.RunAsync([a.Address, b.Address], Plans.Closed, reported, Options, CancellationToken.None);
        Task<Lines> first = a.AcceptUntilStartAsync();
        using Lines linesB = await b.AcceptUntilStartAsync();
        using Lines linesA = await first;
        await linesA.SendAsync(Lines.Tick(1000));
        await linesB.SendAsync(Lines.Tick(234));
        await _clock.AdvanceUntilAsync(() => reported.Ticks.Any(tick => tick.PerSecond == 1234), FromSeconds(5));

        // One falls silent: soon it has no rate.
        await _clock.AdvanceUntilAsync(() => reported.Ticks.Last().PerSecond == 0, FromSeconds(10));
        await linesA.SendAsync(Lines.Tick(500));
        await _clock.AdvanceUntilAsync(() => reported.Ticks.Last().PerSecond == 500, FromSeconds(5));
        Assert.Equal(4, reported.Ticks.Last().Lost);

        // One leaves: its counts go with it, as they do from the result, and it is an error.
        linesB.Dispose();
        await _clock.AdvanceUntilAsync(() => reported.Ticks.Last() is { Lost: 2, Errors: 2 }, FromSeconds(10));
        await linesA.SendAsync(Lines.Result(9));
        LoadResult result = await running.Guarded();
        Assert.Equal((9, 1), (result.Count, result.Errors[Coordinator.WorkerLost]));
        int before = reported.Ticks.Count;
        _clock.Advance(FromSeconds(5));
        Assert.Equal(before, reported.Ticks.Count);
    }

    [Theory]
    [InlineData("hello")]
    [InlineData("plan")]
    [InlineData("start")]
    public async Task A_coordinator_that_hangs_does_not_occupy_the_worker(string until)
    {
        await using WorkerHost worker = new(Runs.Good, new WorkerOptions { Time = _clock });
        using Lines lines = await Lines.ToAsync(worker.Address);
        if (until != "hello")
        {
            await lines.SendAsync(Lines.Hello);
            await lines.ReadAsync("welcome");
        }

        if (until == "start")
        {
            await lines.SendAsync(Lines.Plan);
            await lines.ReadAsync("ready");
        }

        Task<JsonElement> told = lines.ReadAsync("error");
        await _clock.AdvanceUntilAsync(() => told.IsCompleted, FromMinutes(5));
        Assert.Equal(WorkerProtocolErrorCodes.TimeOut, (await told).TextOf("kind"));
        lines.Dispose();
        Assert.Equal(10, (await CoordinatorTests.RunAsync(Plans.Closed, null, worker.Address)).Count);
    }
}
