namespace CoAP.NET.Hosting.Tests.Health;

/// <summary>Health checks of servers and of peers.</summary>
public sealed class HealthTests : HostTest
{
    [Fact]
    public async Task A_server_is_healthy_while_it_listens_and_unhealthy_before_and_after()
    {
        HostApplicationBuilder builder = Builder(("Coap:Server:Endpoints", "coap://127.0.0.1:0"));
        builder.Services.AddCoapServer();
        builder.Services.AddHealthChecks().AddCoapServer();
        IHost host = Build(builder);
        Assert.Equal((HealthStatus.Unhealthy, "The CoAP server was not started yet."), await CheckAsync(host, "coap-server"));

        await Within(host.StartAsync());
        Assert.Equal((HealthStatus.Healthy, $"The CoAP server listens on {AddressOf(host)}."), await CheckAsync(host, "coap-server"));

        await Within(host.StopAsync());
        Assert.Equal((HealthStatus.Unhealthy, "The CoAP server was stopped."), await CheckAsync(host, "coap-server"));
    }

    /// <summary>A load balancer takes 200 of a degraded server for an invitation.</summary>
    [Fact]
    public async Task A_server_is_unhealthy_while_it_stops()
    {
        TaskCompletionSource entered = new(RunContinuationsAsynchronously);
        TaskCompletionSource release = new(RunContinuationsAsynchronously);
        HostApplicationBuilder builder = Builder(("Coap:Server:Endpoints", "coap://127.0.0.1:0"));
        builder.Services.AddCoapServer().MapGet("/", async (_, _) =>
        {
            entered.TrySetResult();
            await release.Task;
            return CoapResults.Text("done");
        });
        builder.Services.AddHealthChecks().AddCoapServer();
        IHost host = await StartAsync(builder);
        await using CoapClient client = new();
        Task<CoapResponse> slow = client.GetAsync(AddressOf(host));
        await Within(entered.Task);

        Task stop = host.StopAsync();
        Assert.Equal((HealthStatus.Unhealthy, "The CoAP server stops. Requests that still run: 1."), await CheckAsync(host, "coap-server"));

        release.SetResult();
        await Within(slow);
        await Within(stop);
    }

    [Fact]
    public async Task A_full_server_or_a_server_that_refused_requests_is_degraded_until_it_has_capacity()
    {
        TaskCompletionSource entered = new(RunContinuationsAsynchronously);
        TaskCompletionSource release = new(RunContinuationsAsynchronously);
        HostApplicationBuilder builder = Builder(("Coap:Servers:edge:Endpoints", "coap://127.0.0.1:0"),
            ("Coap:Servers:edge:Limits:Requests:MaxServed", "1"));
        builder.Services.AddCoapServer("edge").MapGet("/", async (_, _) =>
        {
            entered.TrySetResult();
            await release.Task;
            return CoapResults.Text("done");
        });
        builder.Services.AddHealthChecks().AddCoapServer("edge");
        IHost host = await StartAsync(builder);
        await using CoapClient client = new(new CoapEndpointOptions { Parameters = new() { NStart = 10 } });
        Task<CoapResponse> slow = client.GetAsync(AddressOf(host, "edge"));
        await Within(entered.Task);
        Assert.Equal(
            (HealthStatus.Degraded, "The CoAP server 'edge' is full: it serves 1 of 1 requests (Requests.MaxServed)."),
            await CheckAsync(host, "coap-server-edge"));

        await Within(client.GetAsync(AddressOf(host, "edge"))).Gives(CoapCode.ServiceUnavailable);
        release.SetResult();
        await Within(slow);

        // The response is there before its handler is counted out.
        await Within(UntilIdleAsync(host.Services.GetRequiredKeyedService<CoapServer>("edge")));
        Assert.Equal(
            (HealthStatus.Degraded, "The CoAP server 'edge' refused requests for lack of room since the last check: 1."),
            await CheckAsync(host, "coap-server-edge"));
        Assert.Equal(HealthStatus.Healthy, (await CheckAsync(host, "coap-server-edge")).Status);
    }

    [Fact]
    public async Task A_server_that_is_served_only_by_a_web_application_is_healthy_without_an_address()
    {
        HostApplicationBuilder builder = Builder(("Coap:Server:ListenByDefault", "false"));
        builder.Services.AddCoapServer();
        builder.Services.AddHealthChecks().AddCoapServer();
        IHost host = await StartAsync(builder);
        Assert.Empty(host.Services.GetRequiredService<CoapServer>().LocalEndpoints);
        Assert.Equal((HealthStatus.Healthy, "The CoAP server is served by the web application."), await CheckAsync(host, "coap-server"));
    }

    [Fact]
    public async Task A_peer_that_answers_a_ping_is_healthy_and_otherwise_has_the_configured_failure_status()
    {
        using Socket device = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        device.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        string uri = $"coap://{device.LocalEndPoint}";
        Task answering = AnswerPingsAsync(device);
        HostApplicationBuilder builder = Builder();
        builder.Services.AddHealthChecks()
            .AddCoapPing(uri, "device", timeout: FromMinutes(2))
            .AddCoapPing(uri, "optional", timeout: FromMinutes(2), failureStatus: HealthStatus.Degraded);
        IHost host = await StartAsync(builder);
        (HealthStatus status, string? description) = await CheckAsync(host, "device");
        Assert.Equal(HealthStatus.Healthy, status);
        description.Begins($"{uri}/ answered in ");

        // From here on it has ears for itself only, and others are told that the port is unreachable. Nobody else can take it.
        device.Connect(device.LocalEndPoint!);
        (status, description) = await CheckAsync(host, "device");
        Assert.Equal(HealthStatus.Unhealthy, status);
        Assert.NotNull(description);
        Assert.Equal(HealthStatus.Degraded, (await CheckAsync(host, "optional")).Status);
        device.Dispose();
        await Within(answering);
    }

    [Fact]
    public async Task The_error_for_a_health_check_of_an_unknown_server_says_so()
    {
        HostApplicationBuilder builder = Builder();
        builder.Services.AddHealthChecks().AddCoapServer("edge");
        IHost host = Build(builder);
        InvalidOperationException exception =
            await Assert.ThrowsAsync<InvalidOperationException>(() => CheckAsync(host, "coap-server-edge"));
        exception.Message.Begins("There is no CoAP server with the name 'edge' to check.");
        Assert.Throws<ArgumentException>(() => Builder().Services.AddHealthChecks().AddCoapPing("device"));
    }

    private static async Task<(HealthStatus Status, string? Description)> CheckAsync(IHost host, string name)
    {
        HealthReport report =
            await Within(host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync(check => check.Name == name));
        HealthReportEntry entry = Assert.Single(report.Entries).Value;
        return (entry.Status, entry.Description);
    }

    /// <summary>Answers each ping by a Reset, until the socket is disposed.</summary>
    private static async Task AnswerPingsAsync(Socket socket)
    {
        byte[] message = new byte[100];
        try
        {
            while (true)
            {
                SocketReceiveFromResult ping = await socket.ReceiveFromAsync(message, new IPEndPoint(IPAddress.Any, 0));
                message[0] = 0x70;
                await socket.SendToAsync(message.AsMemory(0, 4), ping.RemoteEndPoint);
            }
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
        {
        }
    }

    private static async Task UntilIdleAsync(CoapServer server)
    {
        while (server.RequestsServed != 0)
        {
            await Task.Yield();
        }
    }
}
