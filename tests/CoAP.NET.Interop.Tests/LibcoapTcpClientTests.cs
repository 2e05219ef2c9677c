using CoAP.NET.Diagnostics;

namespace CoAP.NET.Interop.Tests;

/// <summary>libcoap's client against our server over TCP (RFC 8323), with each engine.</summary>
[External(LibcoapClient.Program)]
public sealed class LibcoapTcpClientTests
{
    private const int OneMessage = 1_000_000;
    private const int MoreThanOneMessage = 1024 * 1024;

    public static TheoryData<CoapSocketEngine> Engines =>
        OperatingSystem.IsLinux() ? [CoapSocketEngine.LinuxLoop, CoapSocketEngine.Portable] : [CoapSocketEngine.Portable];

    public static TheoryData<CoapSocketEngine, int> EnginesAndSizes
    {
        get
        {
            TheoryData<CoapSocketEngine, int> data = [];
            foreach (CoapSocketEngine engine in Engines.Select(row => row.Data))
            {
                data.Add(engine, OneMessage);
                data.Add(engine, MoreThanOneMessage);
            }

            return data;
        }
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task The_libcoap_client_gets_a_resource_over_TCP(CoapSocketEngine engine)
    {
        await using StreamServer server = await StreamServer.StartAsync(engine);
        PeerResult result = await LibcoapClient.RunAsync("-m", "get", server.Uri("/hello"));
        Assert.Equal("hello world!", result.Output);
        Assert.Equal("", result.Errors);
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task Errors_are_answered_with_their_code(CoapSocketEngine engine)
    {
        await using StreamServer server = await StreamServer.StartAsync(engine);
        (await LibcoapClient.RunAsync("-m", "get", server.Uri("/nowhere"))).Errors.Mentions("4.04");
        Assert.Contains("4.05", (await LibcoapClient.RunAsync("-m", "post", "-e", "x", server.Uri("/hello"))).Errors,
            Ordinal);
    }

    // The larger one is longer than our Max-Message-Size with its options, so that the client must cut it.
    [Theory]
    [MemberData(nameof(EnginesAndSizes))]
    public async Task The_libcoap_client_puts_and_gets_a_body_of_a_megabyte(CoapSocketEngine engine, int size)
    {
        await using StreamServer server = await StreamServer.StartAsync(engine);
        byte[] body = Bodies.Make(size, size);
        PeerResult put = (await LibcoapClient.TransferAsync(body, "-m", "put", server.Uri("/store"))).Result;
        Assert.Equal("", put.Errors);
        Assert.Equal(body, server.Stored);
        Assert.Equal(body, (await LibcoapClient.TransferAsync(null, "-m", "get", server.Uri("/store"))).Body);
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task A_body_is_transferred_blockwise_when_the_client_requests_it(CoapSocketEngine engine)
    {
        await using StreamServer server = await StreamServer.StartAsync(engine);
        byte[] body = Bodies.Make(Bodies.Large, 1);
        PeerResult put = (await LibcoapClient.TransferAsync(body, "-b", "256", "-m", "put", server.Uri("/store"))).Result;
        Assert.Equal("", put.Errors);
        Assert.Equal(body, server.Stored);
        (byte[] back, PeerResult got) = await LibcoapClient.TransferAsync(null, "-v", "7", "-b", "256", "-m", "get", server.Uri("/store"));
        Assert.Equal(body, back);
        got.Output.Mentions("Block2:3/M/256");
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public Task A_resource_is_observed_until_the_client_cancels(CoapSocketEngine engine) =>
        LibcoapClient.ObserveForAsync(3, async seconds =>
        {
            await using StreamServer server = await StreamServer.StartAsync(engine);
            await using PeerProcess client = LibcoapClient.Start("-w", "-s", seconds, "-m", "get", server.Uri("/quiet"));
            await client.WaitForLineAsync(line => line == "first");
            await Eventually.IsTrueAsync(() => server.Server.ObserverCount == 1);
            server.Change("second");
            await client.WaitForLineAsync(line => line == "second");
            await client.WaitForExitAsync();

            // It sends a GET with Observe 1, and closes.
            await Eventually.IsTrueAsync(
                () => server.Server.ObserverCount == 0 && server.Server.Counters[CoapCounter.ConnectionsClosed] > 0);
        });

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task Pings_of_the_client_are_answered(CoapSocketEngine engine)
    {
        await using StreamServer server = await StreamServer.StartAsync(engine);
        await using PeerProcess client = LibcoapClient.Start("-v", "7", "-K", "1", "-s", LibcoapClient.Patience, "-m", "get",
            server.Uri("/quiet"));
        await client.WaitForLineAsync(line => line.Contains("c:Ping"));
        await client.WaitForLineAsync(line => line.Contains("c:Pong"));
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task The_sample_server_answers_over_TCP(CoapSocketEngine engine)
    {
        await using SampleServer server = await SampleServer.StartAsync("samples/Server", "--bind", "coap+tcp://127.0.0.1:0", "--engine",
            engine.ToString());
        PeerResult result = await LibcoapClient.RunAsync("-m", "get", $"{server.Uri.OriginalString.TrimEnd('/')}/hello");
        Assert.Equal("hello world!", result.Output);
    }
}
