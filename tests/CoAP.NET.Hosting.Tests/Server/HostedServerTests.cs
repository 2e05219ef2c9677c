using CoAP.NET.Hosting.Server;

namespace CoAP.NET.Hosting.Tests.Server;

/// <summary>Servers that start and stop with their host.</summary>
public sealed class HostedServerTests : HostTest
{
    private const int DrainingId = 1803;

    [Fact]
    public async Task A_port_in_use_prevents_the_start_of_the_host_and_the_error_names_the_key_and_the_remedy()
    {
        await using CoapServer other = new();
        await other.Listen("coap://127.0.0.1:0").StartAsync();
        HostApplicationBuilder builder = Builder(("Coap:Server:Endpoints", other.LocalEndpoints[0].Origin()));
        builder.Services.AddCoapServer();
        IHost host = Build(builder);

        CoapBindException exception = await Assert.ThrowsAsync<CoapBindException>(() => Within(host.StartAsync()));
        exception.Message.Begins("The CoAP server cannot start (Coap:Server:Endpoints). Cannot bind");
        exception.Mentions("listen on another port");
        Assert.IsType<CoapBindException>(exception.InnerException);
        await Within(host.StopAsync());
    }

    [Fact]
    public async Task A_stopping_host_answers_requests_in_progress_and_refuses_new_requests_with_5_03()
    {
        TaskCompletionSource entered = new(RunContinuationsAsynchronously);
        TaskCompletionSource<string> answer = new(RunContinuationsAsynchronously);
        HostApplicationBuilder builder = Builder(("Coap:Server:Endpoints:0", "coap://127.0.0.1:0"));
        builder.Services.AddCoapServer().MapGet("/slow", async (_, _) =>
        {
            entered.SetResult();
            return CoapResults.Text(await answer.Task);
        });
        IHost host = await StartAsync(builder);
        string address = AddressOf(host);
        await using CoapClient client = new(new CoapEndpointOptions { Parameters = new() { NStart = 10 } });
        Task<CoapResponse> slow = client.GetAsync($"{address}/slow");
        await Within(entered.Task);

        Task stopping = host.StopAsync();
        await Within(Logged.Saw(DrainingId));
        CoapResponse refused = await Within(client.GetAsync($"{address}/slow"));
        Assert.False(stopping.IsCompleted);
        answer.SetResult("done");

        refused.Gives(CoapCode.ServiceUnavailable);
        await Within(slow).Says("done");
        await Within(stopping);
    }

    [Fact]
    public async Task The_shutdown_timeout_of_the_host_ends_the_wait_for_a_request_that_never_ends()
    {
        TaskCompletionSource entered = new(RunContinuationsAsynchronously);
        using CancellationTokenSource shutdown = new();
        HostApplicationBuilder builder = Builder(("Coap:Server:Endpoints:0", "coap://127.0.0.1:0"));
        TaskCompletionSource aborted = new(RunContinuationsAsynchronously);
        builder.Services.AddCoapServer().MapGet("/stuck", async (_, cancellationToken) =>
        {
            cancellationToken.Register(aborted.SetResult);
            entered.SetResult();
            await Task.Delay(Timeout.InfiniteTimeSpan, TimeProvider.System, CancellationToken.None);
            return CoapResults.Changed();
        });
        IHost host = await StartAsync(builder);
        await using CoapClient client = new();
        Task<CoapResponse> stuck = client.GetAsync($"{AddressOf(host)}/stuck");
        await Within(entered.Task);

        Task stopping = host.StopAsync(shutdown.Token);
        await Within(Logged.Saw(DrainingId));
        Assert.False(aborted.Task.IsCompleted);
        await shutdown.CancelAsync();

        await Within(aborted.Task);
        await Within(stopping.ContinueWith(_ => { }, TaskScheduler.Default));

        // Who waits is told, instead of being left to its time-outs.
        await Within(stuck).Gives(CoapCode.ServiceUnavailable);
    }

    [Fact]
    public async Task Named_servers_have_separate_routes_and_configuration_and_are_injected_by_name()
    {
        HostApplicationBuilder builder = Builder(("Coap:Servers:north:Endpoints", "coap://127.0.0.1:0"),
            ("Coap:Servers:south:Endpoints", "coap://[::1]:0"));
        builder.Services.AddCoapServer("north").MapGet("/", () => "north");
        builder.Services.AddCoapServer("south").MapGet("/", () => "south");
        IHost host = await StartAsync(builder);
        await using CoapClient client = new();

        AddressOf(host, "south").Begins("coap://[::1]:");
        await Within(client.GetAsync(AddressOf(host, "north"))).Says("north");
        await Within(client.GetAsync(AddressOf(host, "south"))).Says("south");
        Assert.Null(host.Services.GetService<CoapServer>());
        Assert.Contains(Logged.Entries, entry => entry.Id == 1608 && entry.Text == $"north listens on {AddressOf(host, "north")}.");
        Assert.Contains(Logged.Entries, entry => entry.Id == 1608 && entry.Text == $"south listens on {AddressOf(host, "south")}.");
    }

    [Fact]
    public async Task Adding_a_server_again_returns_the_same_server_and_code_overrides_configuration()
    {
        HostApplicationBuilder builder = Builder(("Coap:Server:Limits:Observe:MaxObservers", "7"), ("Coap:Server:Transports:Shards", "2"),
            ("Coap:Server:Endpoints", "coap://127.0.0.1:0"));
        builder.Services.AddCoapServer(options => options.Limits.Observe.MaxObservers += 1).MapGet("/a", () => "a");
        builder.Services.AddCoapServer(options => options.Limits.Observe.MaxObservers *= 2).MapGet("/b", () => "b");
        IHost host = await StartAsync(builder);
        CoapServer server = host.Services.GetRequiredService<CoapServer>();
        await using CoapClient client = new();

        Assert.Single(host.Services.GetServices<IHostedService>().OfType<ServerHostedService>());
        Assert.Equal(16, server.Endpoint.Environment.Limits.Observe.MaxObservers);
        Assert.Equal(2, server.Endpoint.Pipelines.Count);
        await Within(client.GetAsync($"{AddressOf(host)}/a")).Says("a");
        await Within(client.GetAsync($"{AddressOf(host)}/b")).Says("b");
    }

    [Fact]
    public void The_clock_and_the_log_of_the_host_are_used()
    {
        VirtualClock clock = new();
        HostApplicationBuilder builder = Builder();
        builder.Services.AddSingleton<TimeProvider>(clock);
        builder.Services.AddCoapServer(options => options.Listen("coap://127.0.0.1:0")).Configure((options, services) =>
        {
            Assert.NotNull(services.GetService<IHostEnvironment>());
            options.Endpoint.Pipeline.Scheduler = new VirtualScheduler();
        });
        CoapServer server = Build(builder).Services.GetRequiredService<CoapServer>();

        Assert.Same(clock, server.Endpoint.Environment.TimeProvider);
        server.Endpoint.Environment.Logger.LogInformation(new EventId(4711), "here");
        Assert.Contains(Logged.Entries, entry => entry.Id == 4711);
    }

    [Fact]
    public async Task A_server_with_transports_of_the_user_listens_on_no_other_address()
    {
        InMemoryNetwork network = new(TimeProvider.System);
        HostApplicationBuilder builder = Builder();
        builder.Services.AddSingleton(network);
        builder.Services
            .AddCoapServer(options =>
                options.Transports.Add(
                    services => services.GetRequiredService<InMemoryNetwork>().CreateTransport(InMemoryNetwork.Address("192.0.2.1:5683"))))
            .MapGet("/", () => "in memory");
        IHost host = await StartAsync(builder);
        await using CoapClient client = new();
        client.Endpoint.AddTransport(network.CreateTransport(InMemoryNetwork.Address("192.0.2.2:0")));

        Assert.Equal([new CoapUri("coap://192.0.2.1:5683")], host.Services.GetRequiredService<CoapServer>().LocalEndpoints);
        await Within(client.GetAsync("coap://192.0.2.1/")).Says("in memory");
    }

    // The default addresses are looked up, and not opened: another program may use the port.
    [Theory]
    [InlineData("", "Coap:Server:Endpoints")]
    [InlineData("admin", "Coap:Servers:admin:Endpoints")]
    public void A_server_without_an_address_listens_on_loopback_and_logs_which_key_opens_it(string name, string key)
    {
        HostApplicationBuilder builder = Builder();
        _ = name.Length == 0 ? builder.Services.AddCoapServer() : builder.Services.AddCoapServer(name);
        CoapServer server = Build(builder).Services.GetRequiredKeyedService<CoapServer>(name);
        server.Prepare();

        Assert.Equal("localhost", Assert.Single(server.Endpoint.Core.Transports.Unopened).Host);
        (LogLevel level, _, string text) = Assert.Single(Logged.Entries, static entry => entry.Text.Contains("loopback", Ordinal));
        Assert.Equal(LogLevel.Information, level);
        text.Mentions($"Set {key}, or call Listen on the options of AddCoapServer");
        text.Mentions("coap://*:5683");
    }

    [Fact]
    public async Task An_address_in_both_configuration_and_code_is_listened_on_once()
    {
        HostApplicationBuilder builder = Builder(("Coap:Server:Endpoints", "coap://127.0.0.1:0; coap://[::1]:0"));
        builder.Services.AddCoapServer(options => options.Listen("coap://127.0.0.1:0"));
        IHost host = await StartAsync(builder);

        // Port 0 is another one each time, so nothing is left out here.
        Assert.Equal(3, host.Services.GetRequiredService<CoapServer>().LocalEndpoints.Count);
        string taken = AddressOf(host);
        await Within(host.StopAsync());

        builder = Builder(("Coap:Server:Endpoints", taken));
        builder.Services.AddCoapServer(options => options.Listen(taken.Replace("coap:", "COAP:", Ordinal)));
        Assert.Single((await StartAsync(builder)).Services.GetRequiredService<CoapServer>().LocalEndpoints);
    }
}
