namespace CoAP.NET.Cli.Tests;

public sealed class ObserveTests
{
    private static readonly TimeSpan s_hang = FromMinutes(2);

    // Ends when the server was told that nobody observes any more (RFC 7641 section 3.6).
    private readonly TaskCompletionSource _cancelled = new(RunContinuationsAsynchronously);

    [Fact]
    public async Task Observe_shows_each_notification_and_deregisters_at_the_end()
    {
        int value = 0;
        await using CoapServer server =
            await TestServer.StartAsync(server => server.MapGet("/count", request => Answer(request, $"value {value}")).Observable());
        CliHarness harness = new();
        Task<CliRun> running = harness.InvokeAsync("observe", $"{server.LocalEndpoints[0]}count", "--count", "3");
        for (int seen = 0; seen < 2; seen++)
        {
            await harness.WhenOutAsync($"value {seen}\n");
            value++;
            server.Notify("/count");
        }

        CliRun run = await running.WaitAsync(s_hang);

        run.HasExitCode(ExitCodes.Success);
        Assert.Equal("value 0\nvalue 1\nvalue 2\n", run.Out);
        await _cancelled.Task.WaitAsync(s_hang);
    }

    [Fact]
    public async Task Output_with_a_requested_line_feed_has_a_single_line_feed_per_notification()
    {
        int value = 0;
        await using CoapServer server =
            await TestServer.StartAsync(server => server.MapGet("/count", request => Answer(request, $"value {value}")).Observable());
        CliHarness harness = new();
        Task<CliRun> running = harness.InvokeAsync("observe", $"{server.LocalEndpoints[0]}count", "--count", "2", "-w");
        await harness.WhenOutAsync("value 0\n");
        value++;
        server.Notify("/count");

        Assert.Equal("value 0\nvalue 1\n", (await running.WaitAsync(s_hang)).Out);
    }

    [Fact]
    public async Task Ctrl_C_ends_an_observation_with_a_deregistration()
    {
        await using CoapServer server =
            await TestServer.StartAsync(server => server.MapGet("/x", request => Answer(request, "on")).Observable());
        using CancellationTokenSource stop = new();
        CliHarness harness = new() { Stopped = stop.Token };
        Task<CliRun> running = harness.InvokeAsync("observe", $"{server.LocalEndpoints[0]}x", "--json");
        await harness.WhenOutAsync("\n");

        await stop.CancelAsync();
        CliRun run = await running.WaitAsync(s_hang);

        run.HasExitCode(ExitCodes.Cancelled);
        JsonElement json = JsonDocument.Parse(run.Out).RootElement;
        Assert.Equal("on", json.TextOf("payload"));
        Assert.True(json.TryGetProperty("observe", out _));
        await _cancelled.Task.WaitAsync(s_hang);
    }

    [Fact]
    public async Task The_end_of_the_duration_ends_an_observation_successfully()
    {
        await using CoapServer server =
            await TestServer.StartAsync(server => server.MapGet("/x", request => Answer(request, "on")).Observable());

        VirtualClock clock = new();
        CliHarness harness = new() { TimeProvider = clock };
        Task<CliRun> running = harness.InvokeAsync("observe", $"{server.LocalEndpoints[0]}x", "--duration", "1s");
        await harness.WhenOutAsync("on\n");

        clock.Advance(FromSeconds(1));
        CliRun run = await running.WaitAsync(s_hang);

        run.HasExitCode(ExitCodes.Success);
    }

    [Fact]
    public async Task The_end_of_the_duration_before_any_response_is_a_timeout()
    {
        using Socket silent = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        silent.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        string uri = $"coap://{silent.LocalEndPoint}/x";

        CliRun run = await CliHarness.RunAsync("observe", uri, "--duration", "1ms").WaitAsync(s_hang);

        run.HasExitCode(ExitCodes.Timeout);
        run.Error.Begins($"coap: {uri} did not answer before the time of --duration was over.");
    }

    [Fact]
    public async Task A_resource_that_is_not_observable_is_reported()
    {
        await using CoapServer server = await TestServer.StartAsync();

        CliRun run = await CliHarness.RunAsync("observe", $"{server.LocalEndpoints[0]}text", "--count", "1");

        Assert.Equal("21.5\n", run.Out);
        run.HasError("cannot be observed");
    }

    [Fact]
    public async Task An_observation_uses_the_token_of_the_command_line()
    {
        await using CoapServer server =
            await TestServer.StartAsync(server => server.MapGet("/x", request => Answer(request, "on")).Observable());

        CliRun run = await CliHarness.RunAsync("observe", $"{server.LocalEndpoints[0]}x", "--count", "1", "--token", "beef", "-v");

        run.HasExitCode(ExitCodes.Success);
        run.HasError("2.05 Content  token beef");
        await _cancelled.Task.WaitAsync(s_hang);
    }

    [Fact]
    public async Task An_observation_of_a_missing_resource_ends_with_the_exit_code_of_4_04()
    {
        await using CoapServer server = await TestServer.StartAsync();
        string uri = $"{server.LocalEndpoints[0]}nowhere";

        CliRun run = await CliHarness.RunAsync("observe", uri).WaitAsync(s_hang);

        run.HasExitCode(ExitCodes.ClientError);
        run.Error.Begins($"coap: {uri} answered 4.04 Not Found\n");
        run.HasNoError("again");
    }

    [Fact]
    public async Task An_error_notification_ends_the_observation()
    {
        bool isGone = false;
        await using CoapServer server = await TestServer.StartAsync(server =>
            server.MapGet("/x", request => isGone ? CoapResults.NotFound("gone") : Answer(request, "on")).Observable());
        CliHarness harness = new();
        Task<CliRun> running = harness.InvokeAsync("observe", $"{server.LocalEndpoints[0]}x");
        await harness.WhenOutAsync("on\n");
        isGone = true;
        server.Notify("/x");

        CliRun run = await running.WaitAsync(s_hang);

        run.HasExitCode(ExitCodes.ClientError);
        Assert.Equal("on\n", run.Out);
        run.HasError("answered 4.04 Not Found: gone\n");
    }

    [Fact]
    public async Task Observe_with_keep_trying_reports_the_error_and_then_that_the_request_is_repeated()
    {
        await using CoapServer server = await TestServer.StartAsync();
        string uri = $"{server.LocalEndpoints[0]}nowhere";
        using CancellationTokenSource stop = new();
        CliHarness harness = new() { Stopped = stop.Token };
        Task<CliRun> running = harness.InvokeAsync("observe", uri, "--keep-trying");
        await harness.WhenErrorAsync("The request is repeated");

        await stop.CancelAsync();
        CliRun run = await running.WaitAsync(s_hang);

        run.HasExitCode(ExitCodes.Cancelled);
        run.Error.Begins(
            $"coap: {uri} answered 4.04 Not Found\nhint: coap discover {server.LocalEndpoints[0].Origin()} lists the resources of the server."
            + "\nThe request is repeated after a while");
    }

    [Fact]
    public async Task The_exit_code_at_the_end_of_the_duration_is_that_of_the_last_response()
    {
        await using CoapServer server = await TestServer.StartAsync();
        VirtualClock clock = new();
        CliHarness harness = new() { TimeProvider = clock };
        Task<CliRun> running = harness.InvokeAsync("observe", $"{server.LocalEndpoints[0]}nowhere", "--keep-trying", "--duration", "1s");
        await harness.WhenErrorAsync("The request is repeated");

        clock.Advance(FromSeconds(1));
        CliRun run = await running.WaitAsync(s_hang);

        run.HasExitCode(ExitCodes.ClientError);
    }

    [Fact]
    public async Task An_observation_whose_first_request_is_unanswered_ends_with_the_timeout_exit_code()
    {
        using Socket silent = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        silent.Bind(new IPEndPoint(IPAddress.Loopback, 0));

        CliRun run = await CliHarness.RunAsync("observe", $"coap://{silent.LocalEndPoint}/x", "--ack-timeout", "1ms", "--max-retransmit",
            "1").WaitAsync(s_hang);

        run.HasExitCode(ExitCodes.Timeout);
    }

    private CoapResult Answer(CoapRequestContext request, string text)
    {
        if (request.Options.Observe == 1)
        {
            _cancelled.TrySetResult();
        }

        return CoapResults.Text(text);
    }
}
