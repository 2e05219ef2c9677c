using CoAP.NET.Load.Figures;
using CoAP.NET.Load.Workers;

namespace CoAP.NET.Load.Tests;

public sealed class WorkerTests
{
    [Fact]
    public async Task A_second_coordinator_gets_a_busy_error_and_the_run_continues()
    {
        TaskCompletionSource begun = new();
        TaskCompletionSource go = new();
        await using WorkerHost worker = new(async (plan, progress, gate, cancellationToken) =>
        {
            await gate.ReadyAsync(cancellationToken);
            begun.SetResult();
            await go.Task;
            return Results.Of(plan, 7);
        });
        Task<LoadResult> first = CoordinatorTests.RunAsync(Plans.Closed, null, worker.Address);
        await begun.Task.Guarded();
        await CoordinatorTests.AssertBusyAsync(worker);
        go.SetResult();
        Assert.Equal(7, (await first).Count);
    }

    [Theory]
    [InlineData("secret", "secret", true)]
    [InlineData("secret", "Secret", false)]
    [InlineData("secret", "secre", false)]
    [InlineData("secret", null, false)]
    [InlineData("secret", "", false)]
    [InlineData(null, "anything", true)]
    public async Task A_worker_serves_only_coordinators_with_the_key(string? asked, string? said, bool served)
    {
        await using WorkerHost worker = new(Runs.Good, new WorkerOptions { Key = asked });
        Task<LoadResult> running = Coordinator.RunAsync([worker.Address], Plans.Closed, null, new CoordinatorOptions { Key = said },
            CancellationToken.None).Guarded();
        if (served)
        {
            Assert.Equal(10, (await running).Count);
            return;
        }

        DistributedRunException refused = await Assert.ThrowsAsync<DistributedRunException>(() => running);
        Assert.Equal(WorkerProtocolErrorCodes.Key, refused.Kind);
        refused.Mentions("--worker-key");
        Assert.DoesNotContain(worker.Said, line => line.Contains("secret", OrdinalIgnoreCase));
    }

    [Fact]
    public async Task A_coordinator_without_the_key_does_not_learn_whether_the_worker_is_busy()
    {
        TaskCompletionSource begun = new();
        await using WorkerHost worker = new(Runs.UntilCancelled(begun), new WorkerOptions { Key = "k" });
        using CancellationTokenSource cancel = new();
        Task<LoadResult> first = Coordinator.RunAsync([worker.Address], Plans.Closed, null, new CoordinatorOptions { Key = "k" },
            cancel.Token);
        await begun.Task.Guarded();
        Assert.Equal(WorkerProtocolErrorCodes.Key,
            (await Assert.ThrowsAsync<DistributedRunException>(() => CoordinatorTests.RunAsync(Plans.Closed, null, worker.Address))).Kind);
        await cancel.CancelAsync();
        await first.Guarded();
    }

    [Theory]
    [InlineData("""{"type":"hello","version":99,"key":"k"}""", WorkerProtocolErrorCodes.Version)]
    [InlineData("GET / HTTP/1.1", WorkerProtocolErrorCodes.Protocol)]
    [InlineData(Lines.Ready, WorkerProtocolErrorCodes.Protocol)]
    [InlineData("long", WorkerProtocolErrorCodes.Protocol)]
    [InlineData("endless", WorkerProtocolErrorCodes.Protocol)]
    public async Task An_incompatible_coordinator_gets_the_reason_and_the_next_coordinator_is_served(string line, string kind)
    {
        await using WorkerHost worker = new(Runs.Good);
        using (Lines lines = await Lines.ToAsync(worker.Address))
        {
            // Much more than the worker reads: what it says must arrive all the same.
            await lines.SendAsync(line switch
            {
                "long" => new string('x', WorkerConnection.LineLimit + 1),
                "endless" => new string('x', 40 * WorkerConnection.LineLimit),
                _ => line
            });
            Assert.Equal(kind, (await lines.ReadAsync("error")).TextOf("kind"));
            Assert.Null(await lines.ReadAsync());
        }

        Assert.Equal(10, (await CoordinatorTests.RunAsync(Plans.Closed, null, worker.Address)).Count);
    }

    [Fact]
    public async Task Coordinators_that_connect_and_disconnect_do_not_disturb_the_worker()
    {
        await using WorkerHost worker = new(Runs.Good);
        for (int i = 0; i < 50; i++)
        {
            (await Lines.ToAsync(worker.Address)).Dispose();
        }

        using (Lines lines = await Lines.ToAsync(worker.Address))
        {
            await lines.SendAsync(Lines.Hello);
            await lines.ReadAsync("welcome");
        }

        Assert.Equal(10, (await AgainAsync(worker)).Count);
    }

    [Fact]
    public async Task A_run_ends_and_the_worker_is_free_when_the_coordinator_disconnects()
    {
        TaskCompletionSource begun = new();
        TaskCompletionSource ended = new();
        await using WorkerHost worker = new(async (plan, progress, gate, cancellationToken) =>
        {
            LoadResult result = await Runs.UntilCancelled(begun)(plan, progress, gate, cancellationToken);
            ended.TrySetResult();
            return result;
        });
        using (Lines lines = await Lines.ToAsync(worker.Address))
        {
            await lines.SendAsync(Lines.Hello, Lines.Plan, Lines.Start);
            await begun.Task.Guarded();
        }

        await ended.Task.Guarded();
    }

    [Theory]
    [InlineData("nonsense")]
    [InlineData(Lines.Hello)]
    [InlineData("long")]
    public async Task An_invalid_message_during_a_run_ends_the_run_with_a_reason(string line)
    {
        TaskCompletionSource begun = new();
        await using WorkerHost worker = new(Runs.UntilCancelled(begun));
        using Lines lines = await Lines.ToAsync(worker.Address);
        await lines.SendAsync(Lines.Hello, Lines.Plan, Lines.Start);
        await begun.Task.Guarded();
        await lines.SendAsync(line == "long" ? new string('x', WorkerConnection.LineLimit + 1) : line);
        await lines.ReadAsync("welcome");
        await lines.ReadAsync("ready");
        Assert.Equal(WorkerProtocolErrorCodes.Protocol, (await lines.ReadAsync("error")).TextOf("kind"));
        Assert.Null(await lines.ReadAsync());
    }

    [Fact]
    public async Task A_cancel_message_ends_the_run_at_once_and_a_second_cancel_message_is_harmless()
    {
        TaskCompletionSource begun = new();
        await using WorkerHost worker = new(Runs.UntilCancelled(begun));
        using Lines lines = await Lines.ToAsync(worker.Address);
        await lines.SendAsync(Lines.Hello, Lines.Plan, Lines.Start);
        await begun.Task.Guarded();
        await lines.SendAsync(Lines.Cancel, Lines.Cancel);
        await lines.ReadAsync("welcome");
        await lines.ReadAsync("ready");
        Assert.Equal(10, (await lines.ReadAsync("result")).GetProperty("result").GetProperty("count").GetInt64());
        Assert.Null(await lines.ReadAsync());
        await lines.SendAsync(Lines.Cancel);
    }

    [Fact]
    public async Task A_worker_that_is_cancelled_while_it_waits_for_the_start_has_no_result()
    {
        await using WorkerHost worker = new(Runs.Good);
        using Lines lines = await Lines.ToAsync(worker.Address);
        await lines.SendAsync(Lines.Hello, Lines.Plan);
        await lines.ReadAsync("welcome");
        await lines.ReadAsync("ready");
        await lines.SendAsync(Lines.Cancel);
        Assert.Equal(WorkerProtocolErrorCodes.Cancelled, (await lines.ReadAsync("error")).TextOf("kind"));
    }

    [Fact]
    public async Task A_stopped_worker_says_so_and_its_part_is_not_counted()
    {
        TaskCompletionSource begun = new();
        await using WorkerHost other = new(Runs.Good);
        await using WorkerHost worker = new(Runs.UntilCancelled(begun));
        Task<LoadResult> running = CoordinatorTests.RunAsync(Plans.Closed, null, other.Address, worker.Address);
        await begun.Task.Guarded();
        worker.Stop();
        LoadResult result = await running;
        Assert.Equal((5, 1, 1), (result.Count, result.Workers, result.Errors[Coordinator.WorkerLost]));

        // Its last word may come after the coordinator noticed that it is gone.
        await worker.DisposeAsync();
        Assert.Contains("Stopping.", worker.Said);
    }

    [Fact]
    public async Task A_result_that_is_too_long_is_sent_without_its_time_series()
    {
        await using WorkerHost worker = new(async (plan, progress, gate, cancellationToken) =>
        {
            await gate.ReadyAsync(cancellationToken);
            return Results.Of(plan, 3) with
            {
                Series = [.. Enumerable.Range(1, 400_000).Select(i => new LoadSecond(i, 1000.5, 1.25, 2.5))]
            };
        });
        LoadResult result = await CoordinatorTests.RunAsync(Plans.Closed, null, worker.Address);
        Assert.Equal((3, 0), (result.Count, result.Series.Count));
    }

    [Fact]
    public async Task A_result_that_cannot_be_serialized_is_a_failure_of_the_run()
    {
        await using WorkerHost worker = new(async (plan, progress, gate, cancellationToken) =>
        {
            await gate.ReadyAsync(cancellationToken);
            return Results.Of(plan, 3) with { Seconds = double.NaN };
        });
        Assert.Equal(WorkerProtocolErrorCodes.Failed,
            (await Assert.ThrowsAsync<DistributedRunException>(() => CoordinatorTests.RunAsync(Plans.Closed, null, worker.Address))).Kind);
    }

    [Fact]
    public async Task Progress_messages_are_sent_in_order_and_never_delay_the_run()
    {
        await using WorkerHost worker = new(async (plan, progress, gate, cancellationToken) =>
        {
            await gate.ReadyAsync(cancellationToken);
            for (int i = 1; i <= 10_000; i++)
            {
                progress.Report(Ticks.Measuring with { Errors = i });
            }

            return Results.Of(plan, 1);
        });
        using Lines lines = await Lines.ToAsync(worker.Address);
        await lines.SendAsync(Lines.Hello, Lines.Plan, Lines.Start);
        await lines.ReadAsync("welcome");
        await lines.ReadAsync("ready");
        List<long> seen = [];
        while (true)
        {
            JsonElement json = JsonDocument.Parse((await lines.ReadAsync())!).RootElement;
            if (json.TextOf("type") != "tick")
            {
                Assert.Equal("result", json.TextOf("type"));
                break;
            }

            seen.Add(json.GetProperty("tick").GetProperty("errors").GetInt64());
        }

        Assert.Equal(seen.Order().Distinct(), seen);
        Assert.Equal(10_000, seen[^1]);
    }

    [Theory]
    [InlineData("1e300")]
    [InlineData("-1e300")]
    public async Task A_plan_with_impossible_times_is_refused_by_the_run(string seconds)
    {
        await using WorkerHost worker = new((plan, progress, gate, cancellationToken) => throw new ArgumentException("not so long"));
        using Lines lines = await Lines.ToAsync(worker.Address);
        await lines.SendAsync(Lines.Hello, Lines.Plan.Replace("\"rampSeconds\":1", "\"rampSeconds\":" + seconds));
        await lines.ReadAsync("welcome");
        Assert.Equal("the run failed: not so long", (await lines.ReadAsync("error")).TextOf("text"));
    }

    [Fact]
    public async Task The_plan_shown_by_a_worker_cannot_send_control_sequences_to_the_terminal()
    {
        await using WorkerHost worker = new(Runs.Good);
        await CoordinatorTests.RunAsync(Plans.Closed with { Method = "\u001b[2J", Uri = "coap://x/\n" }, null, worker.Address);
        Assert.All(worker.Said, line => Assert.DoesNotContain(line, char.IsControl), throwIfEmpty: true);
    }

    [Fact]
    public void A_worker_that_listens_for_other_machines_prints_a_warning()
    {
        Assert.Single(Worker.Greeting(new IPEndPoint(IPAddress.Loopback, 5690), null));
        Assert.Single(Worker.Greeting(new IPEndPoint(IPAddress.IPv6Loopback, 5690), null));
        Assert.Contains(Worker.Greeting(new IPEndPoint(IPAddress.Any, 5690), null),
            line => line.StartsWith("WARNING: ", Ordinal)
                && line.Contains("It requires no word"));
        Assert.Contains(Worker.Greeting(new IPEndPoint(IPAddress.IPv6Any, 5690), "k"),
            line => line.StartsWith("WARNING: ", Ordinal) && line.Contains("unencrypted"));
    }

    [Fact]
    public async Task A_worker_prints_what_it_does()
    {
        await using WorkerHost worker = new(Runs.Good);
        await CoordinatorTests.RunAsync(Plans.Closed, null, worker.Address);
        worker.Said.First().Begins($"Listening on 127.0.0.1:{worker.Address.Port} ");
        Assert.Contains("Plan: GET coap://127.0.0.1/x, closed loop, 10 peers from number 0, 1 s of warm-up and 5 s measured.", worker.Said);
        Assert.Contains("Ready; waiting for the others.", worker.Said);
        Assert.Contains("Started.", worker.Said);
    }

    // A coordinator that has just left may still be noticed as such only after the next one has come.
    private static async Task<LoadResult> AgainAsync(WorkerHost worker)
    {
        for (int attempt = 1; ; attempt++)
        {
            try
            {
                return await CoordinatorTests.RunAsync(Plans.Closed, null, worker.Address);
            }
            catch (DistributedRunException exception) when (exception.Kind == WorkerProtocolErrorCodes.Busy && attempt < 10_000)
            {
            }
        }
    }
}
