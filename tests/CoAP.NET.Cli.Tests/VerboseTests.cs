namespace CoAP.NET.Cli.Tests;

public sealed class VerboseTests
{
    [Fact]
    public async Task The_headers_and_options_of_all_messages_are_shown()
    {
        // In virtual time nothing takes time, and nothing is sent again.
        VirtualClock clock = new();
        await using CoapServer server = await TestServer.StartAsync(options: new CoapEndpointOptions { TimeProvider = clock });

        CliRun run = await new CliHarness { TimeProvider = clock }.InvokeAsync("get", $"{server.LocalEndpoints[0]}text", "-v");

        Assert.Equal("21.5", run.Out);
        Assert.Matches(new Regex(@"^> 0\.\d{3} to 127\.0\.0\.1:\d+  CON \d+  GET  token [0-9a-f]{8}  \d+ B$", RegexOptions.Multiline),
            run.Error);
        run.HasError(">   Uri-Path: text\n");
        Assert.Matches(new Regex(@"^< 0\.\d{3} from 127\.0\.0\.1:\d+  ACK \d+  2\.05 Content  token [0-9a-f]{8}  \d+ B  after \d+\.\d ms$",
            RegexOptions.Multiline), run.Error);
        run.HasError("1 sent, 1 received, 0 retransmissions");
    }

    [Fact]
    public async Task A_server_shows_the_messages_of_its_clients()
    {
        using CancellationTokenSource stop = new();

        // In virtual time no response comes too late for the acknowledgement.
        CliHarness serving = new() { Stopped = stop.Token, TimeProvider = new VirtualClock() };
        Task<CliRun> running = serving.InvokeAsync("serve", AppContext.BaseDirectory, "--bind", "coap://127.0.0.1:0", "-v", "--quiet");
        await serving.WhenOutAsync("\n");

        await CliHarness.RunAsync("get", $"{serving.OutSoFar.Trim()}/nowhere");
        await stop.CancelAsync();
        CliRun server = await running;

        Assert.Matches(new Regex(@"^< \d+\.\d{3} from 127\.0\.0\.1:\d+  CON \d+  GET  token [0-9a-f]{8}  \d+ B$", RegexOptions.Multiline),
            server.Error);
        server.HasError("<   Uri-Path: nowhere\n");
        Assert.Matches(
            new Regex(@"^> \d+\.\d{3} to 127\.0\.0\.1:\d+  ACK \d+  4\.04 Not Found  .* after \d+\.\d ms$", RegexOptions.Multiline),
            server.Error);
        server.HasError("* ");
    }

    [Fact]
    public async Task Double_verbosity_explains_all_bytes()
    {
        await using CoapServer server = await TestServer.StartAsync();

        CliRun run = await CliHarness.RunAsync("get", $"{server.LocalEndpoints[0]}text", "-vv");

        run.HasError("Version 1, type Confirmable (CON), token length 4\n0001  01                       Code 0.01 GET: request\n");
    }

    [Fact]
    public async Task Uri_Host_is_omitted_when_the_option_is_set()
    {
        await using CoapServer server = await TestServer.StartAsync();
        string uri = server.LocalEndpoints[0].Origin().Replace("127.0.0.1", "localhost");

        (await CliHarness.RunAsync("get", $"{uri}/text", "-v")).Error.Mentions("Uri-Host: localhost");
        CliRun run = await CliHarness.RunAsync("get", $"{uri}/text", "-v", "-U");
        Assert.Equal("21.5", run.Out);
        run.HasNoError("Uri-Host");
    }
}
