using CoAP.NET.Load.Figures;
using CoAP.NET.Load.Plans;
using CoAP.NET.Load.Workers;

namespace CoAP.NET.Load.Tests;

public sealed class CoordinatorTests
{
    [Fact]
    public async Task Several_workers_execute_a_run_and_their_results_are_added()
    {
        ConcurrentBag<LoadPlan> plans = [];
        LoadRunDelegate run = (plan, progress, gate, cancellationToken) =>
        {
            plans.Add(plan);
            return Runs.Good(plan, progress, gate, cancellationToken);
        };
        await using WorkerHost a = new(run);
        await using WorkerHost b = new(run);
        await using WorkerHost c = new(run);
        LoadResult result = await RunAsync(Plans.Closed, null, a.Address, b.Address, c.Address);
        Assert.Equal((10, 3, 0), (result.Count, result.Workers, result.ErrorCount));
        Assert.Equal(Plans.Closed, result.Plan);
        Assert.Equal(10, result.Histogram().Count);
        Assert.Equal([0, 4, 7], plans.Select(plan => plan.FirstPeer).Order());
    }

    [Fact]
    public async Task Workers_start_only_when_all_workers_are_ready()
    {
        ConcurrentQueue<string> order = new();
        TaskCompletionSource connected = new();
        TaskCompletionSource ready = new();
        LoadRunDelegate quick = async (plan, progress, gate, cancellationToken) =>
        {
            order.Enqueue("quick ready");
            Task passed = gate.ReadyAsync(cancellationToken);
            ready.SetResult();
            await passed;
            order.Enqueue("begin");
            return Results.Of(plan, 1);
        };
        LoadRunDelegate slow = async (plan, progress, gate, cancellationToken) =>
        {
            await connected.Task;
            order.Enqueue("slow ready");
            await gate.ReadyAsync(cancellationToken);
            order.Enqueue("begin");
            return Results.Of(plan, 1);
        };
        await using WorkerHost a = new(quick);
        await using WorkerHost b = new(slow);
        Task<LoadResult> running = RunAsync(Plans.Closed, null, a.Address, b.Address);
        await ready.Task.Guarded();

        // A whole conversation with the quick worker: a start that had come too early would have arrived.
        await AssertBusyAsync(a);
        connected.SetResult();
        await running;
        Assert.Equal(["quick ready", "slow ready", "begin", "begin"], order);
    }

    [Fact]
    public async Task The_workers_are_free_again_after_each_run()
    {
        await using WorkerHost a = new(Runs.Good);
        await using WorkerHost b = new(Runs.Good);
        for (int peers = 2; peers < 30; peers++)
        {
            Assert.Equal(peers, (await RunAsync(Plans.Closed with { Peers = peers }, null, a.Address, b.Address)).Count);
        }
    }

    [Fact]
    public async Task Surplus_workers_do_not_take_part_in_a_run_with_fewer_peers_than_workers()
    {
        await using WorkerHost a = new(Runs.Good);
        ConcurrentQueue<string> said = new();
        LoadResult result = await Coordinator.RunAsync([a.Address, Nobody()], Plans.Closed with { Peers = 1 }, null,
            new CoordinatorOptions { Say = said.Enqueue }, CancellationToken.None).Guarded();
        Assert.Equal((1, 1), (result.Count, result.Workers));
        Assert.Single(said).Begins("1 of 2 workers take part");
    }

    [Fact]
    public async Task All_unreachable_workers_are_named_and_the_other_workers_stay_free()
    {
        await using WorkerHost a = new(Runs.Good);
        DnsEndPoint[] nobody = [Nobody(), Nobody()];
        DistributedRunException failed = await Assert.ThrowsAsync<DistributedRunException>(
            () => RunAsync(Plans.Closed, null, [a.Address, .. nobody]));
        Assert.Equal(WorkerProtocolErrorCodes.Unreachable, failed.Kind);
        Assert.All(nobody,
            one => failed.Mentions($"Worker {WorkerAddress.Format(one)} is not reachable"));
        failed.Message.Omits(a.Name);
    }

    [Fact]
    public async Task A_worker_that_disconnects_during_a_run_is_lost_and_the_run_continues()
    {
        ConcurrentQueue<string> said = new();
        await using WorkerHost good = new(Runs.Good);
        using HandWorker bad = new();
        Task<LoadResult> running = Coordinator.RunAsync([good.Address, bad.Address], Plans.Closed, null,
            new CoordinatorOptions { Say = said.Enqueue }, CancellationToken.None);
        (await bad.AcceptUntilStartAsync()).Dispose();
        LoadResult result = await running.Guarded();
        Assert.Equal((5, 1, 1), (result.Count, result.Workers, result.Errors[Coordinator.WorkerLost]));
        Assert.Single(said).Mentions(bad.Name);
    }

    [Theory]
    [InlineData("nonsense")]
    [InlineData("{\"type\":\"welcome\",\"version\":1,\"machine\":\"m\"}")]
    [InlineData("{\"type\":\"result\",\"result\":{}}")]
    [InlineData("long")]
    [InlineData("half")]
    [InlineData("negative")]
    [InlineData("{\"type\":\"error\",\"kind\":\"cancelled\",\"text\":\"nobody asked\"}")]
    public async Task A_worker_that_sends_invalid_messages_during_a_run_is_lost_and_the_run_continues(string line)
    {
        string good = Lines.Result(1);
        line = line switch
        {
            "long" => new string(' ', WorkerConnection.ResultLimit + 1),
            "half" => good.Replace("[[1000,1]]", "[[1000]]"),
            "negative" => good.Replace("\"count\":1", "\"count\":-1"),
            _ => line,
        };
        Assert.NotEqual(good, line);
        await using WorkerHost other = new(Runs.Good);
        using HandWorker bad = new();
        Task<LoadResult> running = RunAsync(Plans.Closed, null, other.Address, bad.Address);
        using Lines lines = await bad.AcceptUntilStartAsync();
        try
        {
            await lines.SendAsync(line);
        }
        catch (IOException)
        {
            // Refused in the middle of the long line.
        }

        LoadResult result = await running;
        Assert.Equal((5, 1, 1), (result.Count, result.Workers, result.Errors[Coordinator.WorkerLost]));
    }

    [Fact]
    public async Task A_run_that_fails_at_a_worker_is_distinguished_from_a_lost_worker()
    {
        await using WorkerHost good = new(Runs.Good);
        await using WorkerHost bad = new(async (plan, progress, gate, cancellationToken) =>
        {
            await gate.ReadyAsync(cancellationToken);
            throw new InvalidOperationException("out of luck");
        });
        LoadResult result = await RunAsync(Plans.Closed, null, good.Address, bad.Address);
        Assert.Equal((5, 1), (result.Count, result.Errors[Coordinator.WorkerFailed]));
        Assert.DoesNotContain(Coordinator.WorkerLost, result.Errors.Keys);
    }

    [Fact]
    public async Task A_run_whose_workers_are_all_lost_fails_with_each_reason()
    {
        await using WorkerHost bad = new(async (plan, progress, gate, cancellationToken) =>
        {
            await gate.ReadyAsync(cancellationToken);
            throw new InvalidOperationException("out of luck");
        });
        DistributedRunException failed = await Assert.ThrowsAsync<DistributedRunException>(() => RunAsync(Plans.Closed, null, bad.Address));
        Assert.Equal($"No worker has a result. Worker {bad.Name}: the run failed: out of luck.", failed.Message);
    }

    [Fact]
    public async Task A_run_that_fails_before_the_start_ends_all_workers_and_the_error_names_the_worker()
    {
        TaskCompletionSource<bool> other = new();
        TaskCompletionSource waits = new();
        await using WorkerHost good = new(async (plan, progress, gate, cancellationToken) =>
        {
            Task passed = gate.ReadyAsync(cancellationToken);
            waits.SetResult();
            await passed.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            other.SetResult(cancellationToken.IsCancellationRequested);
            return Results.Of(plan, 1);
        });
        await using WorkerHost bad = new(async (plan, progress, gate, cancellationToken) =>
        {
            await waits.Task;
            throw new ArgumentException("no such scheme");
        });
        DistributedRunException failed = await Assert.ThrowsAsync<DistributedRunException>(
            () => RunAsync(Plans.Closed, null, good.Address, bad.Address));
        Assert.Equal(WorkerProtocolErrorCodes.Failed, failed.Kind);
        Assert.Equal($"Worker {bad.Name}: the run failed: no such scheme.", failed.Message);
        Assert.True(await other.Task.Guarded(), "The other worker's run was not ended.");
    }

    [Fact]
    public async Task A_worker_of_another_version_is_refused()
    {
        using HandWorker other = new();
        Task<LoadResult> running = RunAsync(Plans.Closed, null, other.Address);
        using Lines lines = await other.AcceptAsync();
        Assert.Equal(WorkerConnection.Version, (await lines.ReadAsync("hello")).GetProperty("version").GetInt32());
        await lines.SendAsync("""{"type":"welcome","version":2,"machine":"m","later":true}""");
        DistributedRunException failed = await Assert.ThrowsAsync<DistributedRunException>(() => running);
        Assert.Equal(WorkerProtocolErrorCodes.Version, failed.Kind);
        failed.Mentions($"{other.Name} has version 2");
    }

    [Theory]
    [InlineData("HTTP/1.1 400 Bad Request")]
    [InlineData("long")]
    [InlineData("{\"type\":\"ready\"}")]
    public async Task The_error_for_a_peer_that_is_not_a_worker_names_its_address(string line)
    {
        using HandWorker other = new();
        Task<LoadResult> running = RunAsync(Plans.Closed, null, other.Address);
        using Lines lines = await other.AcceptAsync();
        await lines.ReadAsync("hello");
        await lines.SendAsync(line == "long" ? new string('x', WorkerConnection.LineLimit + 1) : line);
        DistributedRunException failed = await Assert.ThrowsAsync<DistributedRunException>(() => running);
        Assert.Equal(WorkerProtocolErrorCodes.Protocol, failed.Kind);
        failed.Message.Begins($"Worker {other.Name}: ");
    }

    [Fact]
    public async Task Cancelling_a_run_stops_the_workers_and_gives_the_results_until_then()
    {
        TaskCompletionSource first = new();
        TaskCompletionSource second = new();
        await using WorkerHost a = new(Runs.UntilCancelled(first));
        await using WorkerHost b = new(Runs.UntilCancelled(second));
        using CancellationTokenSource cancel = new();
        Task<LoadResult> running = Coordinator.RunAsync([a.Address, b.Address], Plans.Closed, null, cancel.Token);
        await Task.WhenAll(first.Task, second.Task).Guarded();
        await cancel.CancelAsync();
        LoadResult result = await running.Guarded();
        Assert.Equal((10, 2, 0), (result.Count, result.Workers, result.ErrorCount));
    }

    [Fact]
    public async Task Results_with_a_measured_time_of_zero_do_not_reduce_the_total_time()
    {
        TaskCompletionSource begun = new();
        LoadRunDelegate warming = async (plan, progress, gate, cancellationToken) =>
            await Runs.UntilCancelled(begun)(plan, progress, gate, cancellationToken) with { Seconds = 0, Count = 0, Times = [] };
        TaskCompletionSource measured = new();
        LoadRunDelegate good = async (plan, progress, gate, cancellationToken) =>
        {
            LoadResult result = await Runs.Good(plan, progress, gate, cancellationToken);
            measured.SetResult();
            return result;
        };
        await using WorkerHost a = new(good);
        await using WorkerHost b = new(warming);
        using CancellationTokenSource cancel = new();
        Task<LoadResult> running = Coordinator.RunAsync([a.Address, b.Address], Plans.Closed, null, cancel.Token);
        await begun.Task.Guarded();
        await measured.Task.Guarded();
        await cancel.CancelAsync();
        LoadResult result = await running.Guarded();
        Assert.Equal((5, 5.0, 1.0), (result.Count, result.Seconds, result.PerSecond));
        Assert.NotEmpty(JsonSerializer.Serialize(result, LoadJson.Default.LoadResult));
    }

    [Fact]
    public async Task Cancelling_before_the_start_gives_no_result_and_frees_the_workers()
    {
        TaskCompletionSource connecting = new();
        TaskCompletionSource ended = new();
        int calls = 0;
        LoadRunDelegate run = async (plan, progress, gate, cancellationToken) =>
        {
            if (Interlocked.Increment(ref calls) > 1)
            {
                return await Runs.Good(plan, progress, gate, cancellationToken);
            }

            connecting.SetResult();
            await Task.Delay(Timeout.InfiniteTimeSpan, TimeProvider.System, cancellationToken)
                .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            ended.SetResult();
            throw new OperationCanceledException(cancellationToken);
        };
        await using WorkerHost a = new(run);
        using CancellationTokenSource cancel = new();
        Task<LoadResult> running = Coordinator.RunAsync([a.Address], Plans.Closed, null, cancel.Token);
        await connecting.Task.Guarded();
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => running.Guarded());
        await ended.Task.Guarded();
    }

    [Fact]
    public async Task The_process_of_the_server_is_read_by_a_single_worker_on_the_same_machine()
    {
        ConcurrentBag<int?> read = [];
        LoadRunDelegate run = (plan, progress, gate, cancellationToken) =>
        {
            read.Add(plan.ServerProcess);
            return Runs.Good(plan, progress, gate, cancellationToken);
        };
        await using WorkerHost a = new(run);
        await using WorkerHost b = new(run);
        await RunAsync(Plans.Closed with { ServerProcess = 42 }, null, a.Address, b.Address);
        Assert.Equal([null, 42], read.Order());

        // A worker behind a tunnel: the address is near, the machine is not.
        using HandWorker far = new();
        Task<LoadResult> running = RunAsync(Plans.Closed with { ServerProcess = 42 }, null, far.Address);
        using Lines lines = await far.AcceptAsync();
        await lines.ReadAsync("hello");
        await lines.SendAsync("""{"type":"welcome","version":1,"machine":"another machine"}""");
        Assert.False((await lines.ReadAsync("plan")).GetProperty("plan").TryGetProperty("serverProcess", out _));
        await lines.SendAsync(Lines.Ready);
        await lines.ReadAsync("start");
        await lines.SendAsync(Lines.Result(3));
        Assert.Equal(3, (await running).Count);
    }

    internal static Task<LoadResult> RunAsync(LoadPlan plan, IProgress<LoadProgress>? progress, params DnsEndPoint[] workers) =>
        Coordinator.RunAsync(workers, plan, progress, CancellationToken.None).Guarded();

    internal static async Task AssertBusyAsync(WorkerHost worker)
    {
        DistributedRunException busy =
            await Assert.ThrowsAsync<DistributedRunException>(() => RunAsync(Plans.Closed, null, worker.Address));
        Assert.Equal(WorkerProtocolErrorCodes.Busy, busy.Kind);
        busy.Message.Begins($"Worker {worker.Name}: busy with a run for 127.0.0.1:");
    }

    private static DnsEndPoint Nobody() => new("127.0.0.1", LoopbackPort.FindFree());
}
