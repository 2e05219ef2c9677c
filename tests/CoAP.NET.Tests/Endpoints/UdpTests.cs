using System.Net;
using System.Net.Sockets;
using CoAP.NET.Diagnostics;
using CoAP.NET.Transports.Udp;

namespace CoAP.NET.Tests.Endpoints;

/// <summary>Servers and clients over real sockets, with each engine.</summary>
public sealed class UdpTests
{
    public static TheoryData<CoapSocketEngine> Engines =>
        OperatingSystem.IsLinux()
            ? [CoapSocketEngine.LinuxLoop, CoapSocketEngine.Portable, PortableUdpEngine.WithTwoSockets]
            : [CoapSocketEngine.Portable, PortableUdpEngine.WithTwoSockets];

    [Fact]
    public async Task A_queued_handler_answers_on_a_thread_of_the_library()
    {
        await using CoapServer server = new();
        server.MapGet("/queued", () => "queued").WithExecution(queued: 1);
        server.Listen("coap://127.0.0.1:0");
        await server.StartAsync();
        await using CoapClient client = new();
        await Within(client.GetAsync($"{server.LocalEndpoints[0]}queued")).Says("queued");
        Assert.Equal(0, server.Counters[CoapCounter.StageErrors]);
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task Requests_are_answered_over_IPv4_and_IPv6_and_from_both_on_a_dual_mode_socket(CoapSocketEngine engine)
    {
        await using CoapServer server = Make(engine);
        server.MapGet("/hello", () => "hello");
        server.Listen("coap://127.0.0.1:0").Listen("coap://[::1]:0").Listen("coap://[::]:0");
        await server.StartAsync();
        await using CoapClient client = new(new CoapEndpointOptions { Transports = { UdpEngine = engine } });
        Assert.Equal(3, server.LocalEndpoints.Count);
        int port = server.LocalEndpoints[2].Port;
        foreach (string uri in (string[])[server.LocalEndpoints[0].Origin(), server.LocalEndpoints[1].Origin(), $"coap://127.0.0.1:{port}",
            $"coap://[::1]:{port}"])
        {
            await Within(client.GetAsync($"{uri}/hello")).Says("hello");
        }
    }

    [Fact]
    public async Task An_error_about_an_invalid_listening_address_is_a_single_sentence()
    {
        await using CoapServer server = new();
        ArgumentException path = Assert.Throws<ArgumentException>(() => server.Listen("coap://127.0.0.1/path"));
        path.Message.Omits("Parameter");
        ArgumentException noScheme = Assert.Throws<ArgumentException>(() => server.Listen("127.0.0.1:5683"));
        noScheme.Message.Begins("'127.0.0.1:5683' is not a CoAP URI: position 0");
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task Hundreds_of_requests_of_several_clients_to_four_shards_are_all_answered(CoapSocketEngine engine)
    {
        await using CoapServer server = Make(engine, shards: 4);
        server.MapGet("/{n}", request => request.Route["n"]);
        server.Listen("coap://127.0.0.1:0");
        await server.StartAsync();
        CoapClient[] clients = [.. Enumerable.Range(0, 10)
            .Select(_ => new CoapClient(
                new CoapEndpointOptions { Transports = { UdpEngine = engine }, Parameters = new() { NStart = 20 } }))];
        Task<CoapResponse>[] requests = [
            .. Enumerable.Range(0, 500).Select(i => clients[i % 10].GetAsync($"{server.LocalEndpoints[0]}{i}"))];
        for (int i = 0; i < requests.Length; i++)
        {
            await Within(requests[i]).Says($"{i}");
        }

        foreach (CoapClient client in clients)
        {
            await client.DisposeAsync();
        }
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task A_hundred_blocked_handlers_stop_neither_other_requests_nor_a_handler_that_awaits(CoapSocketEngine engine)
    {
        using ManualResetEventSlim open = new();
        TaskCompletionSource late = new(RunContinuationsAsynchronously);
        int blocked = 0;
        await using CoapServer server = Make(engine);
        server.MapGet("/block", () =>
        {
            Interlocked.Increment(ref blocked);
            open.Wait();
            return "done";
        });
        server.MapGet("/await", async (_, _) =>
        {
            await late.Task;
            return CoapResults.Text("awaited");
        });
        server.MapGet("/hello", () => "hello");
        server.Listen("coap://127.0.0.1:0");
        await server.StartAsync();
        string host = server.LocalEndpoints[0].Origin();
        await using CoapClient client =
            new(new CoapEndpointOptions { Transports = { UdpEngine = engine }, Parameters = new() { NStart = 200 } });
        Task<CoapResponse>[] stuck = [.. Enumerable.Range(0, 100).Select(_ => client.GetAsync($"{host}/block"))];
        Task<CoapResponse> awaiting = client.GetAsync($"{host}/await");
        for (int i = 0; i < 50; i++)
        {
            await Within(client.GetAsync($"{host}/hello")).Says("hello");
        }

        while (Volatile.Read(ref blocked) < 100)
        {
            await Within(client.GetAsync($"{host}/hello")).Says("hello");
        }

        late.SetResult();
        Assert.Equal("awaited", (await Within(awaiting)).GetText());
        Assert.All(stuck, task => Assert.False(task.IsCompleted));
        Assert.True(server.Counters[CoapCounter.HandOvers] > 0);
        open.Set();
        Assert.All(await Within(Task.WhenAll(stuck)), response => response.Says("done"));
        await Within(client.GetAsync($"{host}/hello")).Says("hello");
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task The_acknowledgement_of_a_handler_leaves_although_the_handler_then_blocks(CoapSocketEngine engine)
    {
        using ManualResetEventSlim acknowledged = new();

        // The endpoint itself acknowledges nothing in time.
        await using CoapServer server = new(new CoapEndpointOptions
        {
            Transports = { UdpEngine = engine },
            Parameters = CoapTransmissionParameters.Default with { PiggybackWindow = FromHours(1) },
        });
        server.MapGet("/slow", request =>
        {
            request.Acknowledge();
            return acknowledged.Wait(FromMinutes(1)) ? "slow" : "nothing was sent";
        });
        server.Listen("coap://127.0.0.1:0");
        await server.StartAsync();
        using Socket device = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        await device.ConnectAsync(IPAddress.Loopback, server.LocalEndpoints[0].Port);
        byte[] answer = new byte[100];
        await device.SendAsync(Convert.FromHexString("41017d3853b4736c6f77"));
        int length = await Within(device.ReceiveAsync(answer));
        Assert.Equal("60007D38", Convert.ToHexString(answer, 0, length));
        acknowledged.Set();
        length = await Within(device.ReceiveAsync(answer));
        Convert.ToHexString(answer, 0, length).Ends("FF736C6F77");
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task A_handler_may_wait_for_a_request_to_its_own_server(CoapSocketEngine engine)
    {
        await using CoapServer server = Make(engine);
        CoapClient own = new(server.Endpoint);
        server.MapGet("/inner", () => "inner");
        server.MapGet("/sync",
            () => own.GetAsync($"{server.LocalEndpoints[0]}inner").GetAwaiter().GetResult().GetText() + " through sync");
        server.MapGet("/async", async (_, cancellationToken) =>
            CoapResults.Text((await own.GetAsync($"{server.LocalEndpoints[0]}inner", cancellationToken)).GetText() + " through async"));
        server.Listen("coap://127.0.0.1:0");
        await server.StartAsync();
        await using CoapClient client = new(new CoapEndpointOptions { Transports = { UdpEngine = engine } });
        await Within(client.GetAsync($"{server.LocalEndpoints[0]}sync")).Says("inner through sync");
        await Within(client.GetAsync($"{server.LocalEndpoints[0]}async")).Says("inner through async");
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task A_server_sends_a_request_back_to_the_port_of_the_device(CoapSocketEngine engine)
    {
        await using CoapServer server = Make(engine);
        await using CoapServer device = Make(engine);
        device.MapGet("/3/0", () => "a lamp");
        device.Listen("coap://127.0.0.1:0");
        server.MapPost("/register", async (request, cancellationToken) =>
        {
            Assert.Equal(device.LocalEndpoints[0].Origin(), request.Peer.ToString());
            CoapResponse answer = await request.Peer.GetAsync("/3/0", cancellationToken);
            return CoapResults.Text(answer.GetText());
        });
        server.Listen("coap://127.0.0.1:0");
        await server.StartAsync();
        await device.StartAsync();
        CoapClient fromDevice = new(device.Endpoint);
        CoapResponse response = await Within(fromDevice.PostAsync($"{server.LocalEndpoints[0]}register", null));
        response.Says("a lamp");
    }

    [Fact]
    [Rfc("7252-4.2-11")]
    public async Task A_request_to_a_closed_port_fails_at_once_on_Linux()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "needs errors of Linux sockets");
        int port = LoopbackPort.FindFree();
        await using CoapClient client = new();
        await Failure.OfAsync(CoapError.Unreachable, () => Within(client.GetAsync($"coap://127.0.0.1:{port}/x")));
    }

    [Fact]
    public async Task An_error_about_a_port_in_use_names_the_address()
    {
        await using CoapServer first = new();
        first.Listen("coap://127.0.0.1:0");
        await first.StartAsync();
        await using CoapServer second = new();
        second.Listen(first.LocalEndpoints[0].Origin());
        CoapBindException error = await Assert.ThrowsAsync<CoapBindException>(() => second.StartAsync());
        error.Mentions("127.0.0.1");
    }

    [Theory]
    [InlineData("http://127.0.0.1")]
    [InlineData("coaps://127.0.0.1")]
    [InlineData("coap://127.0.0.1/path")]
    [InlineData("127.0.0.1:5683")]
    public void Listening_on_a_URI_that_is_no_coap_address_throws(string uri)
    {
        CoapEndpoint endpoint = new();
        Assert.Throws<ArgumentException>(() => endpoint.Listen(uri));
    }

    private static CoapServer Make(CoapSocketEngine engine, int shards = 1) =>
        new(new CoapEndpointOptions { Transports = { UdpEngine = engine, Shards = shards } });

    private static Task<T> Within<T>(Task<T> task) => task.WaitAsync(FromMinutes(2));
}
