using CoAP.NET.Hosting.Tests.Helpers;
using CoAP.NET.Testing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Hosting.Tests.Server;

/// <summary>Servers that start and stop with their host.</summary>
public sealed class HostedServerTests : HostTest
{
    private const int DrainingId = 1803;

    [Fact]
    public async Task What_was_mapped_while_the_application_was_put_together_is_served()
    {
        HostApplicationBuilder builder = Builder(("Coap:Server:Endpoints:0", "coap://127.0.0.1:0"));
        builder.Services.AddCoapServer().MapGet("/hello", () => "hello");
        IHost host = await StartAsync(builder);
        await using CoapClient client = new();
        Assert.Equal("hello", (await Within(client.GetAsync($"{AddressOf(host)}/hello"))).GetText());
    }

    [Fact]
    public async Task A_port_that_is_in_use_keeps_the_host_from_starting_and_the_message_says_which_key_and_what_to_do()
    {
        await using CoapServer other = new();
        await other.Listen("coap://127.0.0.1:0").StartAsync();
        HostApplicationBuilder builder = Builder(("Coap:Server:Endpoints", other.LocalEndpoints[0]));
        builder.Services.AddCoapServer();
        IHost host = Build(builder);

        CoapBindException exception = await Assert.ThrowsAsync<CoapBindException>(() => Within(host.StartAsync()));
        Assert.StartsWith("The CoAP server cannot start (Coap:Server:Endpoints). Cannot bind", exception.Message, StringComparison.Ordinal);
        Assert.Contains("listen on another port", exception.Message, StringComparison.Ordinal);
        Assert.IsType<CoapBindException>(exception.InnerException);
        await Within(host.StopAsync());
    }

    [Fact]
    public async Task A_request_that_runs_when_the_host_stops_is_answered_and_new_ones_get_5_03()
    {
        TaskCompletionSource entered = new(TaskCreationOptions.RunContinuationsAsynchronously);
        TaskCompletionSource<string> answer = new(TaskCreationOptions.RunContinuationsAsynchronously);
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

        Assert.Equal(CoapCode.ServiceUnavailable, refused.Code);
        Assert.Equal("done", (await Within(slow)).GetText());
        await Within(stopping);
    }

    [Fact]
    public async Task The_shutdown_time_of_the_host_ends_the_wait_for_a_request_that_never_ends()
    {
        TaskCompletionSource entered = new(TaskCreationOptions.RunContinuationsAsynchronously);
        using CancellationTokenSource shutdown = new();
        HostApplicationBuilder builder = Builder(("Coap:Server:Endpoints:0", "coap://127.0.0.1:0"));
        TaskCompletionSource aborted = new(TaskCreationOptions.RunContinuationsAsynchronously);
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
        await Within(stopping.ContinueWith(static _ => { }, TaskScheduler.Default));

        // Who waits is told, instead of being left to its time-outs.
        Assert.Equal(CoapCode.ServiceUnavailable, (await Within(stuck)).Code);
    }

    [Fact]
    public async Task Servers_with_names_have_routes_and_configuration_of_their_own_and_are_injected_by_name()
    {
        HostApplicationBuilder builder = Builder(("Coap:Servers:north:Endpoints", "coap://127.0.0.1:0"),
            ("Coap:Servers:south:Endpoints", "coap://[::1]:0"));
        builder.Services.AddCoapServer("north").MapGet("/", () => "north");
        builder.Services.AddCoapServer("south").MapGet("/", () => "south");
        IHost host = await StartAsync(builder);
        await using CoapClient client = new();

        Assert.StartsWith("coap://[::1]:", AddressOf(host, "south"), StringComparison.Ordinal);
        Assert.Equal("north", (await Within(client.GetAsync(AddressOf(host, "north")))).GetText());
        Assert.Equal("south", (await Within(client.GetAsync(AddressOf(host, "south")))).GetText());
        Assert.Null(host.Services.GetService<CoapServer>());
        Assert.Contains(Logged.Entries, entry => entry.Id == 1608 && entry.Text == $"north listens on {AddressOf(host, "north")}.");
        Assert.Contains(Logged.Entries, entry => entry.Id == 1608 && entry.Text == $"south listens on {AddressOf(host, "south")}.");
    }

    [Fact]
    public async Task The_server_that_is_injected_notifies_observers()
    {
        int state = 1;
        HostApplicationBuilder builder = Builder();
        builder.Services.AddCoapServer(options => options.Listen("coap://127.0.0.1:0"))
            .MapGet("/state", () => $"{Volatile.Read(ref state)}").Observable();
        IHost host = await StartAsync(builder);
        await using CoapClient client = new();
        await using CoapObservation observation = await Within(client.ObserveAsync($"{AddressOf(host)}/state"));
        await using IAsyncEnumerator<CoapResponse> states = observation.ReadAllAsync().GetAsyncEnumerator();
        Assert.True(await Within(states.MoveNextAsync().AsTask()));
        Assert.Equal("1", states.Current.GetText());

        Volatile.Write(ref state, 2);
        host.Services.GetRequiredService<CoapServer>().Notify("/state");
        Assert.True(await Within(states.MoveNextAsync().AsTask()));
        Assert.Equal("2", states.Current.GetText());
    }

    [Fact]
    public async Task Adding_a_server_again_gives_the_same_one_and_code_comes_after_configuration()
    {
        HostApplicationBuilder builder = Builder(("Coap:Server:Limits:MaxObservers", "7"), ("Coap:Server:Shards", "2"),
            ("Coap:Server:Endpoints", "coap://127.0.0.1:0"));
        builder.Services.AddCoapServer(options => options.Limits.MaxObservers += 1).MapGet("/a", () => "a");
        builder.Services.AddCoapServer(options => options.Limits.MaxObservers *= 2).MapGet("/b", () => "b");
        IHost host = await StartAsync(builder);
        CoapServer server = host.Services.GetRequiredService<CoapServer>();
        await using CoapClient client = new();

        Assert.Single(host.Services.GetServices<IHostedService>().OfType<ServerHostedService>());
        Assert.Equal(16, server.Endpoint.Environment.Limits.MaxObservers);
        Assert.Equal(2, server.Endpoint.Pipelines.Count);
        Assert.Equal("a", (await Within(client.GetAsync($"{AddressOf(host)}/a"))).GetText());
        Assert.Equal("b", (await Within(client.GetAsync($"{AddressOf(host)}/b"))).GetText());
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
            options.Endpoint.Scheduler = new VirtualScheduler();
        });
        CoapServer server = Build(builder).Services.GetRequiredService<CoapServer>();

        Assert.Same(clock, server.Endpoint.Environment.TimeProvider);
        server.Endpoint.Environment.Logger.LogInformation(new EventId(4711), "here");
        Assert.Contains(Logged.Entries, static entry => entry.Id == 4711);
    }

    [Fact]
    public async Task Transports_of_the_user_are_added_and_then_nothing_else_is_listened_on()
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

        Assert.Equal(["coap://192.0.2.1:5683"], host.Services.GetRequiredService<CoapServer>().LocalEndpoints);
        Assert.Equal("in memory", (await Within(client.GetAsync("coap://192.0.2.1/"))).GetText());
    }

    [Fact]
    public async Task An_address_that_configuration_and_code_both_have_is_listened_on_once()
    {
        HostApplicationBuilder builder = Builder(("Coap:Server:Endpoints", "coap://127.0.0.1:0; coap://[::1]:0"));
        builder.Services.AddCoapServer(options => options.Listen("coap://127.0.0.1:0"));
        IHost host = await StartAsync(builder);

        // Port 0 is another one each time, so nothing is left out here.
        Assert.Equal(3, host.Services.GetRequiredService<CoapServer>().LocalEndpoints.Count);
        string taken = AddressOf(host);
        await Within(host.StopAsync());

        builder = Builder(("Coap:Server:Endpoints", taken));
        builder.Services.AddCoapServer(options => options.Listen(taken.Replace("coap:", "COAP:", StringComparison.Ordinal)));
        Assert.Single((await StartAsync(builder)).Services.GetRequiredService<CoapServer>().LocalEndpoints);
    }
}
