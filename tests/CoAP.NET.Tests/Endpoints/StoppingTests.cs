using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Endpoints;

/// <summary>Stopping walks one way: refuse what is new, finish what runs, then close.</summary>
[Collection(VirtualTimeCollection.Name)]
public class StoppingTests : EndpointTest
{
    [Fact]
    public async Task A_stopping_server_refuses_new_requests_and_answers_running_requests()
    {
        TaskCompletionSource<CoapResult> running = new();
        Server.MapGet("/slow", (CoapRequestContext _, CancellationToken _) => running.Task);
        Server.MapGet("/fast", () => "fast");
        await StartAsync();
        Transport.Receive(Peer, "40010001b4736c6f77");
        Task stop = Server.StopAsync();
        string refused = Exchange("40010002b466617374");
        refused.Begins("60a30002");
        refused[8..].Mentions("d10105");
        Assert.False(stop.IsCompleted);

        // Duplicates and acknowledgements are still served: the first request gets its Empty acknowledgement again.
        Clock.Advance(FromSeconds(1));
        Transport.HasSent("60000001");
        Transport.Receive(Peer, "40010001b4736c6f77");
        Transport.HasSent("60000001");

        running.SetResult(CoapResults.Text("done"));
        await Within(stop);
        Assert.Contains(Transport.TakeSent(),
            hex => hex.StartsWith("4045", Ordinal) && hex.EndsWith("646f6e65", Ordinal));
        await Within(Server.Endpoint.Completion);
    }

    [Fact]
    public async Task A_stopping_server_ignores_new_requests_when_AnswerWhileStopping_is_false()
    {
        TaskCompletionSource<CoapResult> running = new();
        Options.Processes.AnswerWhileStopping = false;
        Server.MapGet("/slow", (CoapRequestContext _, CancellationToken _) => running.Task);
        await StartAsync();
        Transport.Receive(Peer, "40010001b4736c6f77");
        Task stop = Server.StopAsync();
        Transport.Receive(Peer, "40010002b466617374");
        Transport.Receive(Peer, "40010002b466617374");
        Clock.Advance(FromSeconds(2));
        Transport.HasSent("60000001");
        Assert.Equal(0, Server.Counters[CoapCounter.Duplicates]);
        running.SetResult("done");
        await Within(stop);
    }

    [Fact]
    public async Task A_handler_that_never_returns_does_not_keep_the_server_from_stopping()
    {
        TaskCompletionSource<CoapResult> never = new();
        CancellationToken aborted = default;
        Server.MapGet("/never", (CoapRequestContext _, CancellationToken cancellationToken) =>
        {
            aborted = cancellationToken;
            return never.Task;
        });
        await StartAsync();
        Transport.Receive(Peer, "40010001b56e65766572");
        Task stop = Server.StopAsync();
        Assert.False(stop.IsCompleted);
        Assert.False(aborted.IsCancellationRequested);
        await Clock.AdvanceUntilAsync(stop, FromSeconds(30));
        Assert.True(aborted.IsCancellationRequested);
        Transport.TakeSent();

        // Its late answer goes nowhere, and is counted.
        never.SetResult(CoapResults.Text("late"));
        await Eventually.IsTrueAsync(() => Server.Counters[CoapCounter.LateResponses] + Server.Counters[CoapCounter.Declined] == 1);
        Transport.HasSentNothing();
    }

    [Fact]
    public async Task Every_unanswered_request_gets_5_03_with_Max_Age_when_the_grace_period_ends()
    {
        Server.MapGet("/never", static (CoapRequestContext _, CancellationToken _) => new TaskCompletionSource<CoapResult>().Task);
        Server.MapGet("/asks", static async (_, cancellationToken) =>
        {
            await Task.Delay(Timeout.InfiniteTimeSpan, TimeProvider.System, cancellationToken);
            return "never";
        });
        Server.MapGet("/queue", static (CoapRequestContext _, CancellationToken _) => new TaskCompletionSource<CoapResult>().Task)
            .WithExecution(CoapExecution.Serial());
        await StartAsync();
        Transport.Receive(Peer, "40010001b56e65766572");
        Transport.Receive(Peer, "40010002b461736b73");
        Transport.Receive(Peer, "40010003b57175657565");
        Transport.Receive(Other, "40010004b57175657565");
        Transport.Receive(Other, "50010005b56e65766572");
        Task stop = Server.StopAsync();

        // All are acknowledged by then, so these are separate responses.
        await Clock.AdvanceUntilAsync(stop, FromSeconds(30));
        string[] sent = Transport.TakeSent();
        Assert.Equal(5, sent.Count(static hex => hex[2..4] == "a3" && hex.EndsWith("d10105", Ordinal)));
        Assert.Equal(4, sent.Count(static hex => hex.StartsWith("40a3", Ordinal)));
        Assert.Equal(1, sent.Count(static hex => hex.StartsWith("50a3", Ordinal)));
    }

    [Fact]
    public async Task Disposing_the_server_answers_running_requests_with_5_03_at_once()
    {
        Server.MapGet("/never", static (CoapRequestContext _, CancellationToken _) => new TaskCompletionSource<CoapResult>().Task);
        await StartAsync();
        Transport.Receive(Peer, "40010001b56e65766572");
        await Within(Server.DisposeAsync().AsTask());
        Transport.HasSent("60a30001d10105");
    }

    [Fact]
    public async Task A_handler_that_has_not_awaited_yet_gets_its_client_5_03_on_disposal()
    {
        TaskCompletionSource<Task> disposing = new();
        TaskCompletionSource entered = new(RunContinuationsAsynchronously);
        Server.MapGet("/never", (CoapRequestContext _, CancellationToken cancellationToken) =>
        {
            entered.SetResult();
            cancellationToken.WaitHandle.WaitOne();

            // A server that does not wait for the end of this part is closed before it.
            disposing.Task.Result.Wait(FromMilliseconds(100), CancellationToken.None);
            return new TaskCompletionSource<CoapResult>().Task;
        });
        await StartAsync();
        Task receiving = Task.Factory.StartNew(() => Transport.Receive(Peer, "40010001b56e65766572"), CancellationToken.None,
            TaskCreationOptions.LongRunning, TaskScheduler.Default);
        await Within(entered.Task);
        Task dispose = Server.DisposeAsync().AsTask();
        disposing.SetResult(dispose);
        await Within(dispose);
        await Within(receiving);
        Transport.HasSent("60a30001d10105");
    }

    [Fact]
    public async Task Cancelling_RunAsync_answers_running_requests_with_5_03_after_the_grace_period()
    {
        using CancellationTokenSource stop = new();
        Options.Processes.StopGracePeriod = FromSeconds(1);
        Server.MapGet("/never", static (CoapRequestContext _, CancellationToken _) => new TaskCompletionSource<CoapResult>().Task);
        Server.Endpoint.AddTransport(Transport);
        Task run = Server.RunAsync(stop.Token);
        Transport.Receive(Peer, "40010001b56e65766572");
        await stop.CancelAsync();
        await Clock.AdvanceUntilAsync(run, FromSeconds(30));
        Assert.Contains(Transport.TakeSent(), static hex => hex.StartsWith("40a3", Ordinal));
    }

    [Fact]
    public async Task A_registration_in_progress_at_disposal_gets_5_03_without_Observe()
    {
        Server.MapGet("/never", static (CoapRequestContext _, CancellationToken _) => new TaskCompletionSource<CoapResult>().Task)
            .Observable();
        await StartAsync();
        Transport.Receive(Peer, "4001000160556e65766572");
        await Within(Server.DisposeAsync().AsTask());
        Transport.HasSent("60a30001d10105");
        Assert.Equal(0, Server.ObserverCount);
    }

    [Theory]
    [InlineData("coap")]
    [InlineData("coap+tcp")]
    public async Task A_client_gets_5_03_before_a_disposed_server_closes_its_socket(string scheme)
    {
        await using CoapServer server = new();
        server.Listen($"{scheme}://127.0.0.1:0");
        server.MapGet("/never", static (CoapRequestContext _, CancellationToken _) => new TaskCompletionSource<CoapResult>().Task);
        await server.StartAsync();
        await using CoapClient client = new();
        Task<CoapResponse> request = client.GetAsync($"{server.LocalEndpoints[0]}never");
        await Eventually.IsTrueAsync(() => server.Endpoint.Pipelines.Any(static pipeline => pipeline.Resource.Unanswered == 1));
        await server.DisposeAsync();
        CoapResponse response = await Within(request);
        response.Gives(CoapCode.ServiceUnavailable);
        Assert.Equal(FromSeconds(5), response.MaxAge);
    }

    [Fact]
    public async Task Stopping_from_inside_a_handler_does_not_deadlock()
    {
        TaskCompletionSource stopped = new(RunContinuationsAsynchronously);
        Server.MapPost("/stop", async (_, _) =>
        {
            await Server.StopAsync(CancellationToken.None);
            stopped.SetResult();
            return CoapResults.Changed();
        });
        await StartAsync();
        Transport.Receive(Peer, "40020001b473746f70");
        await Clock.AdvanceUntilAsync(stopped.Task, FromSeconds(30));
        await Within(Server.Endpoint.Completion);
    }

    [Fact]
    public async Task Stopping_twice_and_disposing_afterwards_is_allowed()
    {
        await StartAsync();
        await Within(Task.WhenAll(Server.StopAsync(), Server.StopAsync()));
        await Server.DisposeAsync();
        await Assert.ThrowsAsync<InvalidOperationException>(() => Server.StartAsync());
    }

    [Fact]
    public async Task RunAsync_ends_when_its_token_is_cancelled()
    {
        using CancellationTokenSource stop = new();
        Server.Endpoint.AddTransport(Transport);
        Task run = Server.RunAsync(stop.Token);
        Assert.False(run.IsCompleted);
        await stop.CancelAsync();
        await Within(run);
    }

    [Fact]
    public async Task Ten_thousand_open_exchanges_block_no_thread()
    {
        Options.Limits.Amplification.IsLimited = false;
        TaskCompletionSource<CoapResult> answer = new(RunContinuationsAsynchronously);
        Server.MapGet("/open", (CoapRequestContext _, CancellationToken _) => answer.Task);
        await StartAsync();
        for (int i = 0; i < 10_000; i++)
        {
            // Each is a source of its own: one alone may not have all.
            CoapAddress peer = CoapAddress.FromIPv4(0x0a000000 + (uint)i, 5683);
            Transport.Receive(peer, $"4001{i:x4}b46f70656e");
        }

        Assert.Equal(10_000, Server.Endpoint.Served.Count);

        // Other tests of the process have threads too, but none has thousands.
        Assert.InRange(System.Diagnostics.Process.GetCurrentProcess().Threads.Count, 1, 1_000);
        Transport.TakeSent();

        // One more than the bound is refused before user code, with the time to come back.
        Transport.Receive(Other, "4001fffeb46f70656e");
        Assert.Single(Transport.TakeSent()).Begins("60a3fffe");

        Task idle = Server.Endpoint.Served.WhenIdleAsync();
        answer.SetResult(CoapResults.Text("x"));
        await Within(idle);
    }
}
